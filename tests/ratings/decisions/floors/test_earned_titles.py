"""Norm titles are stored, and kept or revoked when the records no longer show them."""

import re
from datetime import date, timedelta

import pytest
from django.contrib.auth.models import Permission
from django.utils import timezone

from events.records.services.versions import first_version
from ratings.decisions.floors.queries.titles import (
    event_norms,
    highest_titles,
    member_titles,
    stored_titles,
)
from ratings.decisions.floors.services import titles
from ratings.decisions.floors.services.titles import record_titles
from ratings.models import EarnedTitle
from ratings.rerates.services.publishing import publish_rerate
from ratings.rerates.services.start import start_rerate
from ratings_site.common.jobs.services import run_due_jobs
from ratings_site.common.models import AuditEntry
from tests.events.corrections.samples import make_decider, request_correction
from tests.events.corrections.test_corrections import approve
from tests.factories import make_player, make_td, make_user, merge_with_approval
from tests.ratings.decisions.floors.test_titles import FIVE_ROUNDS, play

pytestmark = pytest.mark.django_db


@pytest.fixture
def champion():
    """A member with exactly five norms of 1800, the last in June."""
    td = make_td()
    hero = make_player("30000001", ratings={"OTBR": (1990.0, 40)})
    others = [make_player(ratings={"OTBR": (1800.0, 60)}) for _ in range(4)]
    for month in range(2, 7):
        event = play(
            td, [hero, *others], FIVE_ROUNDS, ends=date(2024, month, 5), name="Open"
        )
    hero.last = event.sections.get()
    return hero


def title_of(player) -> dict[str, tuple[date, bool]]:
    return {
        one.title.name: (one.day, one.is_kept)
        for one in member_titles(player).progress
        if one.day
    }


def ask(section):
    """Ask that the section was Quick, so that its norm goes."""
    decider = make_decider()
    change = {"time_control": "G/20;d5", "is_online": False}
    return decider, request_correction(section, decider, "time_control", change)


def take_away_norm(section) -> None:
    decider, request = ask(section)
    approve(request, decider, reason="It was Quick.")
    run = start_rerate(actor=None, reason="Weekly.")
    run_due_jobs()
    publish_rerate(run_id=run.pk, actor=None, reason="Good.")


def test_the_fifth_norm_completes_the_title(champion):
    made, *_others = event_norms(champion.last.event)
    assert made.member_id == "30000001"
    assert (made.norms, made.one_short) == ([(1, 1800)], [])
    assert made.completed == [
        "1st Category",
        "2nd Category",
        "3rd Category",
        "4th Category",
    ]


def test_the_fourth_norm_leaves_one_to_go(champion):
    fourth = champion.entries.get(section__ends=date(2024, 5, 5)).section.event
    made, *_others = event_norms(fourth)
    assert made.completed == []
    assert made.one_short == [
        "1st Category",
        "2nd Category",
        "3rd Category",
        "4th Category",
    ]


def test_open_correction_is_named_with_the_title_it_may_take(champion):
    ask(champion.last)
    found = member_titles(champion)
    assert [norm.is_open for norm in found.norms] == [True, *[False] * 4]
    assert {one.is_open for one in found.progress if one.day} == {True}
    assert set(found.norms[0].carries) == {
        one.title.name for one in found.progress if one.day
    }


@pytest.mark.parametrize("for_life", [True, False])
def test_title_without_its_norms_is_kept_or_revoked(champion, settings, for_life):
    settings.NORM_TITLES_FOR_LIFE = for_life
    now = timezone.now()
    record_titles(now=now)
    before = title_of(champion)
    assert before["1st Category"] == (date(2024, 6, 5), False)

    take_away_norm(champion.last)
    record_titles(now=now + timedelta(hours=1))

    row = EarnedTitle.objects.get(player=champion, level=1800)
    action = "title.kept" if for_life else "title.revoked"
    entries = AuditEntry.objects.filter(action=action)
    assert str(row.pk) in entries.values_list("subject_id", flat=True)
    day = date(2024, 6, 5)
    after = title_of(champion)
    assert after.get("1st Category") == ((day, True) if for_life else None)
    highest = highest_titles({champion.pk: champion.pk})
    assert (champion.pk in highest) is for_life
    count = AuditEntry.objects.filter(action__startswith="title.").count()
    record_titles(now=now + timedelta(hours=2))
    assert AuditEntry.objects.filter(action__startswith="title.").count() == count


def test_title_earned_again_needs_no_decision(champion):
    row = EarnedTitle.objects.create(
        player=champion,
        level=1800,
        earned_on=date(2024, 6, 5),
        recorded_at=timezone.now(),
        decision="revoked",
    )
    record_titles(now=timezone.now())
    row.refresh_from_db()
    assert row.decision == ""


@pytest.mark.parametrize("change", ["correction", "merge"])
def test_changes_without_new_ratings_are_looked_at(champion, monkeypatch, change):
    now = timezone.now()
    record_titles(now=now)
    first = EarnedTitle.objects.filter(player=champion, level=1800)
    first.delete()
    monkeypatch.setattr(titles, "players_changed_since", lambda _moment: set())
    record_titles(now=now)
    assert not first.exists()
    if change == "merge":
        other = make_player("30000099")
        merge_with_approval(champion, other)
    else:
        version = first_version(champion.last)
        version.pk, version.number = None, 2
        version.save(force_insert=True)
    record_titles(now=now)
    assert first.exists()


def test_title_is_not_shown_until_the_night_revokes_it(champion, settings):
    settings.NORM_TITLES_FOR_LIFE = False
    record_titles(now=timezone.now())
    take_away_norm(champion.last)
    assert "1st Category" not in title_of(champion)


def test_both_titles_of_merged_members_are_decided_and_the_earliest_counts():
    kept, merged = (make_player(), make_player())
    for player, year in ((kept, 2021), (merged, 2023)):
        EarnedTitle.objects.create(
            player=player,
            level=1800,
            earned_on=date(year, 1, 5),
            recorded_at=timezone.now(),
        )
    merge_with_approval(kept, merged)
    record_titles(now=timezone.now())
    assert list(EarnedTitle.objects.values_list("decision", flat=True)) == ["kept"] * 2
    owners = {kept.pk: kept.pk, merged.pk: kept.pk}
    assert stored_titles(owners) == {kept.pk: {1800: date(2021, 1, 5)}}


def revoke(client, row):
    return client.post(
        f"/admin/ratings/earnedtitle/{row.pk}/change/",
        {"decision": "revoked", "reason_for_change": "The results are another's."},
    )


def test_office_revokes_a_title_that_the_records_do_not_show(admin_client, champion):
    now = timezone.now()
    record_titles(now=now)
    row = EarnedTitle.objects.get(player=champion, level=1800)
    assert "Correct the results first" in revoke(admin_client, row).content.decode()
    take_away_norm(champion.last)
    record_titles(now=now)
    assert "1st Category" in title_of(champion)

    assert revoke(admin_client, row).status_code == 302

    entry = AuditEntry.objects.get(action="title.changed")
    assert (entry.reason, entry.actor.username) == (
        "The results are another's.",
        "admin",
    )
    record_titles(now=now)
    row.refresh_from_db()
    assert row.decision == "revoked"
    assert "1st Category" not in title_of(champion)


def test_only_those_who_grant_floors_revoke_titles(client, champion):
    record_titles(now=timezone.now())
    row = EarnedTitle.objects.get(player=champion, level=1800)
    clerk = make_user("clerk", is_staff=True)
    clerk.user_permissions.add(Permission.objects.get(codename="view_earnedtitle"))
    client.force_login(clerk)
    page = client.get(f"/admin/ratings/earnedtitle/{row.pk}/change/")
    assert page.status_code == 200
    assert revoke(client, row).status_code == 403


def test_certificate_is_there_as_long_as_the_records_show_it(client, champion):
    event = champion.last.event
    norm = f"/players/30000001/titles/{event.event_id}-1/"
    page = client.get(norm).content.decode()
    assert "1800 norm" in page
    assert f"http://127.0.0.1:8000{norm}" in page
    assert re.search(r"expected to score \d\.\d{3}\b", page)
    assert (
        "1st Category" in client.get("/players/30000001/titles/1800/").content.decode()
    )
    assert client.get("/players/30000001/titles/2000/").status_code == 404

    take_away_norm(champion.last)

    assert client.get(norm).status_code == 404
