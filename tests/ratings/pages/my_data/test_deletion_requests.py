"""A member or guardian requests deletion; the office deletes or declines."""

from datetime import timedelta

import pytest
from django.utils import timezone

from players.claims.services.offers import offer_own_account
from players.guardians.queries import notice_recipients, notices_for
from players.models import Contact, ForgetRequest, Player
from ratings.pages.my_data.services import (
    DELETION_NOTICE,
    DeletionRefused,
    decline_deletion,
    delete_member_data,
    request_deletion,
)
from ratings_site.common.dashboard.queries import pending_items
from ratings_site.common.models import AuditEntry, Notice, User
from ratings_site.common.notices.services import NoticeDraft, notify
from tests.factories import make_player, make_user, merge_with_approval, verified

pytestmark = pytest.mark.django_db

OFFICE = "/office/forget/"


@pytest.fixture
def boss() -> User:
    return make_user("boss", is_staff=True, is_superuser=True)


@pytest.fixture
def ada() -> Player:
    player = make_player(account=verified(make_user("ada")))
    Contact.objects.create(player=player, email="ada@example.org")
    return player


@pytest.fixture
def child() -> Player:
    born = timezone.localdate() - timedelta(days=3000)
    return make_player("20000055", "Bo", birth_date=born)


def page_of(player: Player) -> str:
    return f"/my-data/{player.member_id}/forget/"


def waiting() -> int:
    lines = pending_items(timezone.now())
    return next(line.number for line in lines if line.url.partition("#")[0] == OFFICE)


def test_member_asks_after_the_password_and_the_office_forgets(client, ada, boss):
    client.force_login(ada.account)
    asked = client.post(page_of(ada))
    assert asked["Location"].startswith("/accounts/reauthenticate/")
    assert not ForgetRequest.objects.exists()
    client.post("/accounts/reauthenticate/", {"password": "secret"})
    assert ada.name in client.get(page_of(ada)).content.decode()
    client.post(page_of(ada))
    assert waiting() == 1
    assert "Deletion requested" in client.get("/my-data/").content.decode()

    client.force_login(boss)
    assert ada.name in client.get(OFFICE).content.decode()
    delete_member_data(player_id=ada.pk, actor=boss, reason="Asked for.")
    deletion_request = ForgetRequest.objects.get()
    assert (
        deletion_request.state,
        deletion_request.decided_by,
        deletion_request.reason,
    ) == ("done", boss, "Asked for.")
    assert waiting() == 0


def test_guardian_asks_for_the_child_and_hears_why_not(client, child, boss):
    mother = verified(make_user("mother"))
    mother.children.create(player=child)
    deletion_request = request_deletion(player_id=child.pk, actor=mother)
    client.force_login(boss)
    refused = client.post(f"{OFFICE}{deletion_request.pk}/refuse/", {"reason": ""})
    assert refused.context["form"].errors
    client.post(
        f"{OFFICE}{deletion_request.pk}/refuse/", {"reason": "The title is on record."}
    )
    notice = Notice.objects.get(account=mother)
    assert (notice.kind, notice.text) == ("players.forget", "The title is on record.")
    client.force_login(mother)
    assert "The title is on record." in client.get("/my-data/").content.decode()
    actions = AuditEntry.objects.order_by("pk").values_list("action", flat=True)
    assert [one for one in actions if "forget" in one] == [
        "player.forget_asked",
        "player.forget_refused",
    ]
    assert request_deletion(player_id=child.pk, actor=mother).pk != deletion_request.pk


def test_request_of_a_former_guardian_blocks_no_other(client, child, boss):
    father, mother = verified(make_user("father")), verified(make_user("mother"))
    for guardian in (father, mother):
        guardian.children.create(player=child)
    request_deletion(player_id=child.pk, actor=father)
    client.force_login(boss)
    no_longer = "This account is no longer linked to the member."
    assert no_longer not in client.get(OFFICE).content.decode()
    with pytest.raises(DeletionRefused):
        request_deletion(player_id=child.pk, actor=mother)

    father.children.update(ended_at=timezone.now())
    assert no_longer in client.get(OFFICE).content.decode()
    client.force_login(mother)
    assert "Deletion requested" not in client.get("/my-data/").content.decode()
    deletion_request = request_deletion(player_id=child.pk, actor=mother)
    assert ForgetRequest.objects.get() == deletion_request
    delete_member_data(player_id=child.pk, actor=boss, reason="Asked for.")
    assert Notice.objects.get().account == mother


@pytest.mark.parametrize("decision", ["refused", "done"])
def test_who_no_longer_speaks_is_not_told_the_decision(child, boss, decision):
    father = verified(make_user("father"))
    father.children.create(player=child)
    deletion_request = request_deletion(player_id=child.pk, actor=father)
    father.children.update(ended_at=timezone.now())
    if decision == "refused":
        decline_deletion(request_id=deletion_request.pk, actor=boss, reason="No.")
    else:
        delete_member_data(player_id=child.pk, actor=boss, reason="By letter.")
    deletion_request.refresh_from_db()
    assert deletion_request.state == decision
    assert not Notice.objects.exists()


def test_name_that_goes_goes_from_the_notices_of_guardians(child, boss, settings):
    settings.FORGET_NAMES = True
    name = child.name
    mother, stranger = verified(make_user("mother")), verified(make_user("stranger"))
    mother.children.create(player=child)
    retained_data = [
        NoticeDraft(DELETION_NOTICE, one.pk, "forget:0", "/", lambda: ("Bo", ""))
        for one in (mother, stranger)
    ]
    offer_own_account(player_id=child.pk, age=13)
    readers = notice_recipients([child.pk])[child.pk]
    news = notices_for(
        readers, DELETION_NOTICE, "rated:1", "/", lambda: ("1500", ""), member=child.pk
    )
    notify([*retained_data, *news])
    for reason in ("Not yet.", "No."):
        deletion_request = request_deletion(player_id=child.pk, actor=mother)
        decline_deletion(request_id=deletion_request.pk, actor=boss, reason=reason)
    assert Notice.objects.filter(account=mother, title__contains=name).count() == 4
    delete_member_data(player_id=child.pk, actor=boss, reason="Asked for.")
    assert Notice.objects.count() == len(retained_data)
    assert not Notice.objects.filter(title__contains=name).exists()
    mother.refresh_from_db()
    assert mother.unread_notices == 1


def test_only_own_deletion_can_be_requested(client, ada, child):
    stranger = verified(make_user())
    with pytest.raises(DeletionRefused):
        request_deletion(player_id=ada.pk, actor=stranger)
    client.force_login(stranger)
    client.post("/accounts/reauthenticate/", {"password": "secret"})
    assert client.post(page_of(child)).status_code == 404
    assert not ForgetRequest.objects.exists()


def test_wish_waits_once_and_is_decided_once(ada, boss):
    deletion_request = request_deletion(player_id=ada.pk, actor=ada.account)
    with pytest.raises(DeletionRefused):
        request_deletion(player_id=ada.pk, actor=ada.account)
    decline_deletion(request_id=deletion_request.pk, actor=boss, reason="Not yet.")
    with pytest.raises(DeletionRefused):
        decline_deletion(request_id=deletion_request.pk, actor=boss, reason="Not yet.")


def test_wish_made_before_a_merge_is_the_kept_members(client, ada, boss):
    account = ada.account
    request_deletion(player_id=ada.pk, actor=account)
    kept = make_player()
    merge_with_approval(kept, ada)
    account = User.objects.get(pk=account.pk)
    client.force_login(account)
    assert client.get("/my-data/").context["asked"] == {kept.pk}
    with pytest.raises(DeletionRefused, match="already has"):
        request_deletion(player_id=kept.pk, actor=account)
    delete_member_data(player_id=kept.pk, actor=boss, reason="Asked by letter.")
    assert waiting() == 0


@pytest.mark.parametrize("wishes", [2, 12])
def test_queue_takes_the_same_queries_for_any_length(
    client, boss, django_assert_num_queries, wishes
):
    for one in range(wishes):
        player = make_player(account=make_user())
        deletion_request = request_deletion(player_id=player.pk, actor=player.account)
        if one % 2:
            decline_deletion(request_id=deletion_request.pk, actor=boss, reason="No.")
    client.force_login(boss)
    with django_assert_num_queries(8):
        page = client.get(OFFICE)
    assert page.content.count(b"refuse/") == wishes // 2
