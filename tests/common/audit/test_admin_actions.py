"""All changes in the admin are in the audit log."""

import pytest
from allauth.account.models import EmailAddress
from django.contrib import admin
from django.contrib.auth.models import Group, Permission

from players.models import Guardian
from ratings_site.common.admin import AuditedMixin, ReadOnlyAdmin, ReadOnlyInline
from ratings_site.common.models import AuditEntry, User
from tests.factories import make_player, make_user, verified
from tests.players.test_admin import save

pytestmark = pytest.mark.django_db

GROUPS = "/admin/auth/group/"
USERS = "/admin/common/user/"
DELETE = {"post": "yes"}


def entries() -> list[tuple[str, str, dict]]:
    found = AuditEntry.objects.filter(actor__username="admin").order_by("pk")
    return [(entry.action, entry.subject_name, entry.facts) for entry in found]


@pytest.mark.parametrize(
    "model", admin.site._registry, ids=lambda model: model.__name__
)
def test_every_page_of_the_admin_is_audited_or_read_only(model, rf, admin_user):
    page, request = admin.site._registry[model], rf.get("/")
    request.user = admin_user
    if isinstance(page, AuditedMixin):
        assert type(page).delete_model is AuditedMixin.delete_model
        assert type(page).delete_queryset is AuditedMixin.delete_queryset
        return
    assert isinstance(page, ReadOnlyAdmin)
    assert not page.has_add_permission(request)
    assert not page.has_change_permission(request)
    assert not page.has_delete_permission(request)
    assert all(issubclass(lines, ReadOnlyInline) for lines in page.inlines)
    assert not page.actions


def test_group_and_its_permissions(admin_client):
    permission = Permission.objects.get(codename="publish_list")
    admin_client.post(f"{GROUPS}add/", {"name": "Helpers"})
    group = Group.objects.get(name="Helpers")
    admin_client.post(
        f"{GROUPS}{group.pk}/change/",
        {"name": "Helpers", "permissions": [permission.pk]},
    )
    ann = make_user("ann")
    ann.groups.add(group)
    admin_client.post(f"{GROUPS}{group.pk}/delete/", DELETE)
    assert not Group.objects.filter(name="Helpers").exists()
    assert entries() == [
        ("group.added", "Helpers", {"name": {"from": "", "to": "Helpers"}}),
        (
            "group.changed",
            "Helpers",
            {"permissions": {"from": "", "to": str(permission)}},
        ),
        (
            "group.deleted",
            "Helpers",
            {"permissions": [str(permission)], "accounts": ["ann"]},
        ),
    ]


def test_deleted_account(admin_client):
    ann = verified(make_user("ann"))
    admin_client.post(f"{USERS}{ann.pk}/delete/", DELETE)
    assert not User.objects.filter(username="ann").exists()
    assert entries() == [("account.deleted", "ann", {"username": "ann", "groups": []})]
    assert AuditEntry.objects.get(action="account.deleted").subject_id == str(ann.pk)


def test_accounts_deleted_together(admin_client):
    ann, bob = make_user("ann"), make_user("bob")
    chosen = {"action": "delete_selected", "_selected_action": [ann.pk, bob.pk]}
    admin_client.post(USERS, {**chosen, **DELETE})
    assert not User.objects.filter(pk__in=[ann.pk, bob.pk]).exists()
    assert sorted(name for _action, name, _facts in entries()) == ["ann", "bob"]


@pytest.mark.parametrize("page", ["add/", "{pk}/change/", "{pk}/delete/"])
def test_address_of_an_account_is_changed_by_its_owner_only(admin_client, page):
    ann = verified(make_user("ann"))
    address = EmailAddress.objects.get(user=ann)
    typed = {"user": ann.pk, "email": "thief@example.org", "verified": "on", **DELETE}
    path = page.format(pk=address.pk)
    admin_client.post(f"/admin/account/emailaddress/{path}", typed)
    assert list(EmailAddress.objects.values_list("email", "verified")) == [
        ("ann@example.org", True)
    ]


def test_unverified_address_is_not_made_verified(admin_client):
    make_user("ann", email="ann@example.org").emailaddress_set.create(
        email="ann@example.org"
    )
    chosen = {"action": "make_verified"}
    address = EmailAddress.objects.get()
    chosen["_selected_action"] = [address.pk]
    admin_client.post("/admin/account/emailaddress/", chosen)
    address.refresh_from_db()
    assert not address.verified


def test_deleted_address_of_a_guardian(admin_client):
    child = make_player()
    guardian = Guardian.objects.create(player=child, email="parent@example.org")
    lines = {
        "guardian-TOTAL_FORMS": "1",
        "guardian-INITIAL_FORMS": "1",
        f"guardian-0-{Guardian._meta.pk.name}": guardian.pk,
        "guardian-0-player": child.pk,
        "guardian-0-email": guardian.email,
        "guardian-0-DELETE": "on",
    }
    save(admin_client, child, lines, reason_for_change="The parent asked for it.")
    assert not Guardian.objects.exists()
    entry = AuditEntry.objects.get(action="guardian.deleted")
    assert (entry.subject_id, entry.reason) == (
        str(guardian.pk),
        "The parent asked for it.",
    )
    assert "parent@example.org" not in f"{entry.facts} {entry.subject_name}"
