"""Every admin page opens, at the same number of queries for any number of rows."""

import pytest
from django.contrib import admin
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from events.models import Event
from players.models import Player
from ratings.models import RatingChange
from ratings_site.common.models import AuditEntry
from tests.factories import (
    make_affiliate,
    make_player,
    make_staff,
    make_td,
    rated_section,
)

pytestmark = pytest.mark.django_db

MODELS = [
    model
    for model in admin.site._registry
    if model._meta.app_label in ("common", "players", "events", "ratings")
]


def pages(model) -> tuple[str, ...]:
    name = f"admin:{model._meta.app_label}_{model._meta.model_name}"
    return reverse(f"{name}_changelist"), *(
        reverse(f"{name}_change", args=[pk])
        for pk in model.objects.values_list("pk", flat=True)[:1]
    )


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model._meta.label_lower)
def test_list_and_record_open_for_a_superuser(admin_client, model):
    rated_section(players=4)
    for page in pages(model):
        response = admin_client.get(page)
        assert response.status_code == 200
        assert model._meta.verbose_name.lower() in response.content.decode().lower()


@pytest.mark.parametrize(
    "model", [Event, Player, RatingChange], ids=lambda model: model.__name__
)
def test_list_takes_the_same_queries_for_any_size(admin_client, model):
    counts = []
    for players in (2, 20):
        rated_section(players=players, rounds=1)
        with CaptureQueriesContext(connection) as queries:
            admin_client.get(pages(model)[0])
        counts.append(len(queries))
    assert counts[0] == counts[1]


def test_history_cannot_be_changed_even_by_a_superuser(admin_client):
    rated_section(players=4)
    change = RatingChange.objects.last()
    url = reverse("admin:ratings_ratingchange_change", args=[change.pk])
    response = admin_client.post(url, {"post_rating": "3000"})
    assert response.status_code == 403
    assert RatingChange.objects.get(pk=change.pk).post_rating == change.post_rating


def test_change_by_hand_is_audited_with_its_reason(client):
    staff = make_staff()
    affiliate = make_affiliate()
    client.force_login(staff)
    url = reverse("admin:events_affiliate_change", args=[affiliate.pk])
    form = {
        "affiliate_id": affiliate.affiliate_id,
        "name": "New Castle Club",
        "state": "",
        "expires": "2099-12-31",
    }
    refused = client.post(url, form)
    assert refused.status_code == 422
    assert "This field is required." in refused.content.decode()
    client.post(url, {**form, "reason_for_change": "The club renamed itself."})
    entry = AuditEntry.objects.get(action="affiliate.changed")
    assert (entry.actor, entry.reason) == (staff, "The club renamed itself.")
    assert entry.facts == {
        "name": {"from": "Castle Chess Club", "to": "New Castle Club"}
    }


def test_lines_below_a_member_are_audited_too(client):
    staff, player = make_staff(), make_player(family_name="Noether")
    membership = player.memberships.get()
    client.force_login(staff)
    url = reverse("admin:players_player_change", args=[player.pk])
    lines = {
        "contact-TOTAL_FORMS": "0",
        "contact-INITIAL_FORMS": "0",
        "guardian-TOTAL_FORMS": "0",
        "guardian-INITIAL_FORMS": "0",
        "guardian_accounts-TOTAL_FORMS": "0",
        "guardian_accounts-INITIAL_FORMS": "0",
        "memberships-TOTAL_FORMS": "1",
        "memberships-INITIAL_FORMS": "1",
        "memberships-0-id": membership.pk,
        "memberships-0-player": player.pk,
        "memberships-0-type": membership.type_id,
        "memberships-0-starts": "2000-01-01",
        "memberships-0-expires": "2030-12-31",
        "external_ratings-TOTAL_FORMS": "1",
        "external_ratings-INITIAL_FORMS": "0",
        "external_ratings-0-player": player.pk,
        "external_ratings-0-body": "FIDE",
        "external_ratings-0-list_date": "2024-05-01",
        "external_ratings-0-rating": "1850",
    }
    answer = client.post(
        url,
        {
            "member_id": player.member_id,
            "given_name": player.given_name,
            "family_name": player.family_name,
            "residence": "USA",
            "status": "active",
            "reason_for_change": "From the FIDE list and the renewal form.",
            **lines,
        },
    )
    assert answer.status_code == 302
    acts = AuditEntry.objects.filter(actor=staff).order_by("pk")
    assert [(act.action, act.reason) for act in acts] == [
        ("player.changed", "From the FIDE list and the renewal form."),
        ("membership.changed", "From the FIDE list and the renewal form."),
        ("externalrating.added", "From the FIDE list and the renewal form."),
    ]
    assert acts[1].facts == {"of": str(player), "fields": ["expires"]}


def test_directors_are_sent_to_the_sign_in_page(client):
    client.force_login(make_td())
    response = client.get(reverse("admin:index"))
    assert response["Location"].startswith(reverse("admin:login"))


def test_office_cannot_reach_accounts(client):
    client.force_login(make_staff())
    assert "Users" not in client.get(reverse("admin:index")).content.decode()
    assert client.get(reverse("admin:common_user_changelist")).status_code == 403
