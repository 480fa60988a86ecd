"""Every admin page opens, at the same number of queries for any number of rows."""

from datetime import timedelta

import pytest
from allauth.mfa.models import Authenticator
from django.apps import apps
from django.contrib import admin
from django.db import connection
from django.db.models import BinaryField
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from events.models import Entry, Event, EventOfficial, Game, Submission, SubmissionFile
from players.models import Player
from ratings.models import Calculation, PlayerRating, RatingChange, Run
from ratings_site.admin_site import MODELS_WITHOUT_PAGE
from ratings_site.common import admin as common_admin
from ratings_site.common.accounts.permissions import LOCAL_APPS
from ratings_site.common.models import AuditEntry
from tests.factories import (
    make_affiliate,
    make_player,
    make_staff,
    make_td,
    make_user,
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


@pytest.fixture(scope="module")
def sample_rows(module_data) -> None:
    """Something to show in most of the lists."""
    rated_section(players=4)


@pytest.mark.usefixtures("sample_rows")
@pytest.mark.parametrize("model", MODELS, ids=lambda model: model._meta.label_lower)
def test_list_and_record_open_for_a_superuser(admin_client, model):
    for page in pages(model):
        response = admin_client.get(page)
        assert response.status_code == 200
        assert model._meta.verbose_name.lower() in response.content.decode().lower()


@pytest.mark.parametrize(
    "model",
    [
        Event,
        Player,
        RatingChange,
        AuditEntry,
        Entry,
        EventOfficial,
        PlayerRating,
        SubmissionFile,
    ],
    ids=lambda model: model.__name__,
)
def test_list_takes_the_same_queries_for_any_size(admin_client, model):
    counts = []
    for players in (2, 20):
        rated_section(players=players, rounds=1)
        SubmissionFile.objects.bulk_create(
            SubmissionFile(submission=submission, name="a.dbf", size=0)
            for submission in Submission.objects.all()
        )
        with CaptureQueriesContext(connection) as queries:
            answer = admin_client.get(pages(model)[0])
        assert answer.context["cl"].result_count == model.objects.count() > 0
        counts.append(len(queries))
    assert counts[0] == counts[1]


def test_every_model_has_a_page_or_a_reason_to_have_none():
    ours = {
        model._meta.label_lower: model in admin.site._registry
        for model in apps.get_models()
        if model._meta.app_label in LOCAL_APPS
    }
    assert {label for label, has_page in ours.items() if not has_page} == set(
        MODELS_WITHOUT_PAGE
    )


@pytest.mark.parametrize(
    "hidden",
    [
        "common.apikey.digest",
        "common.notice.text",
        "common.pendingact.payload",
        "common.webhook.salt",
        "common.webhookdelivery.body",
        "players.claim.salt",
        "players.fideplayer.birth_year",
        "players.intake.options",
        "players.intake.sheet",
        "ratings.signingkey.private",
        *(
            f"{model._meta.label_lower}.{field.name}"
            for model in MODELS
            for field in model._meta.fields
            if isinstance(field, BinaryField)
        ),
    ],
)
def test_secrets_and_contents_have_no_place_on_a_page(rf, admin_user, hidden):
    app, name, column = hidden.split(".")
    model_admin = admin.site._registry[apps.get_model(app, name)]
    request = rf.get("/")
    request.user = admin_user
    assert column not in model_admin.get_fields(request)
    assert column not in model_admin.get_list_display(request)


def test_second_factors_have_no_page():
    assert not admin.site.is_registered(Authenticator)


def found(client, model, text: str) -> set:
    """Search as the page does, and see that no part of a word is looked for."""
    with CaptureQueriesContext(connection) as queries:
        answer = client.get(pages(model)[0], {"q": text})
    assert not [query["sql"] for query in queries if "LIKE '%" in query["sql"].upper()]
    return set(answer.context["cl"].queryset)


@pytest.mark.parametrize("model", [Player, Entry, EventOfficial, RatingChange])
def test_records_of_members_are_found_by_whole_numbers_and_names(admin_client, model):
    section = rated_section(players=4)
    one = section.entries.first().player
    if model is EventOfficial:
        one = EventOfficial.objects.filter(role="chief").first().player
    whose = {"pk": one.pk} if model is Player else {"player": one}
    wanted = set(model.objects.filter(**whose))
    assert wanted
    assert found(admin_client, model, one.member_id) == wanted
    assert wanted <= found(admin_client, model, one.family_name)
    assert found(admin_client, model, one.member_id[1:]) == set()
    assert found(admin_client, model, "nobody") == set()


@pytest.mark.parametrize("model", [Event, Game, Calculation, Submission])
def test_records_of_events_are_found_by_the_whole_event_id(admin_client, model):
    event = rated_section(players=2, rounds=1).event
    rated_section(players=2, rounds=1)
    some = found(admin_client, model, event.event_id)
    assert 0 < len(some) < model.objects.count()
    assert found(admin_client, model, event.event_id[1:]) == set()


@pytest.mark.parametrize("asked", ["1", "-2", "3.1"])
def test_lines_of_the_ledger_are_sorted_by_no_address(admin_client, asked):
    section = rated_section(players=2, rounds=2)
    address = reverse("admin:events_game_changelist")
    shown = admin_client.get(address, {"o": asked}).context["cl"].result_list
    newest_first = section.games.order_by("-pk")
    assert [game.pk for game in shown] == [game.pk for game in newest_first]


def test_audit_is_found_by_day_record_and_action(admin_client):
    today = timezone.localdate()
    renamed, dated, player = (
        AuditEntry.objects.create(action=action, subject_type=kind, subject_id=pk)
        for action, kind, pk in (
            ("event.renamed", "events.event", 1),
            ("event.dated", "events.event", 2),
            ("player.event", "players.player", 1),
        )
    )
    for text, wanted in {
        str(today): {renamed, player, dated},
        str(today - timedelta(days=1)): set(),
        "2026-05-99": set(),
        "events.event": {renamed, dated},
        "events.event 2": {dated},
        "Event.": {renamed, dated},
        "player.event": {player},
        "1": set(),
    }.items():
        assert found(admin_client, AuditEntry, text) == wanted, text


def test_long_list_is_counted_and_paged_so_far_and_says_so(admin_client, monkeypatch):
    for number in range(3):
        make_player(family_name=f"Family{number}")
    address = reverse("admin:players_player_changelist")
    words = "Showing the first 3."
    assert words not in admin_client.get(address).content.decode()
    monkeypatch.setattr(common_admin, "MAX_COUNTED", 3)
    assert words in admin_client.get(address).content.decode()
    make_player()
    with CaptureQueriesContext(connection) as queries:
        assert admin_client.get(address).context["cl"].result_count == 3
    counts = [one["sql"] for one in queries if "COUNT(" in one["sql"]]
    assert counts
    assert all("LIMIT 3" in sql for sql in counts)


def test_new_pages_open_with_view_permission(client):
    client.force_login(make_staff())
    index = client.get(reverse("admin:index")).content.decode()
    for model, may_look in (
        ("players_intake", True),
        ("events_submissionfile", True),
        ("common_webhook", False),
        ("ratings_rundifference", False),
    ):
        address = reverse(f"admin:{model}_changelist")
        assert (address in index) == may_look
        assert client.get(address).status_code == (200 if may_look else 403)


def test_what_an_open_rerate_may_change_is_in_no_list(admin_client):
    player = make_player()
    for status, after in (("ready", 1733.75), ("undone", 1612.25)):
        when = {f"{act}_at": timezone.now() for act in ("published", "undone")}
        why = {f"{act}_reason": "Right" for act in ("publish", "undo")}
        run = Run.objects.create(
            kind="rerate", status=status, reason="Late", **when, **why
        )
        run.differences.create(player=player, system="OTBR", before=1600.0, after=after)
    address = reverse("admin:ratings_rundifference_changelist")
    page = admin_client.get(address).content.decode()
    assert ("1612.25" in page, "1733.75" in page) == (True, False)


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
        "Official_affiliates-TOTAL_FORMS": "0",
        "Official_affiliates-INITIAL_FORMS": "0",
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


def test_sign_in_time_cannot_be_edited(client):
    boss = make_user("boss", is_staff=True, is_superuser=True)
    client.force_login(boss)
    url = reverse("admin:common_user_change", args=[boss.pk])
    page = client.get(url).content.decode()
    assert "field-last_login" in page
    assert 'name="last_login' not in page
