"""The demo federation: loaded through the same services and files as real reports."""

import io
import zipfile
from datetime import UTC, date, datetime, time, timedelta

import pytest
import time_machine
from django.core.management import call_command
from django.db import transaction
from django.urls import reverse
from django.utils import timezone

from events.checks.services import blocking_findings, findings_of
from events.formats.findings import Severity
from events.formats.report import parse_cell
from events.models import Event, EventRegistration, Section, Submission
from events.reports.services.submissions import (
    receive_submission,
    reported_in,
    set_cell,
    set_entry,
    set_section,
    submit_report,
)
from events.review.services.acceptance import accept_report
from players.models import FideList, Player
from ratings.engine.systems import System
from ratings.lists.months import months_before
from ratings.lists.queries.official import next_month_due
from ratings.models import (
    Experiment,
    OfficialList,
    OpeningEntry,
    PublishedRating,
    RatingChange,
    Run,
)
from ratings.rerates.services.audit import audit_ledger
from ratings.research.monthly.services import due_month
from ratings_site import startup_checks
from ratings_site.common.jobs.services import run_due_jobs
from ratings_site.common.models import Job, Office, User
from ratings_site.demo.accounts import DEMO_ACCOUNTS
from ratings_site.demo.club import load_club
from ratings_site.demo.dates import saturday
from ratings_site.demo.load import NotEmpty, load
from ratings_site.demo.members import Register
from ratings_site.management.commands.serve import Command as Serve
from ratings_site.startup_checks import open_demo_accounts

# In one process, so that the demo is loaded once.
pytestmark = [
    pytest.mark.django_db,
    pytest.mark.calendar,
    pytest.mark.xdist_group("demo"),
    pytest.mark.gate,
]


@pytest.fixture(scope="module")
def faulty(django_db_setup, django_db_blocker):
    """Load the demo once; each test works in a savepoint on top of it."""
    with django_db_blocker.unblock(), transaction.atomic():
        loaded = load(lambda line: None)
        # Its days are those of its time zone; in London it may be Sunday already.
        with timezone.override(Office.time()):
            yield loaded
        transaction.set_rollback(True)


def at_noon(day: date) -> time_machine.travel:
    return time_machine.travel(datetime.combine(day, time(12), UTC))


def test_every_section_is_rated_and_every_opening_names_its_source(faulty):
    assert not Section.objects.exclude(status=Section.Status.RATED).exists()
    due = Job.objects.filter(run_after__lte=timezone.now())
    assert not due.exclude(state=Job.State.DONE).exists()
    assert not OpeningEntry.objects.filter(source="").exists()


def differences(**which) -> list[float]:
    """Return how far our ratings are from the published ones, where both exist."""
    published = PublishedRating.objects.filter(**which).select_related("entry")
    ours = {
        (change.calculation.section_id, change.calculation.system, change.player_id): (
            change.post_rating
        )
        for change in RatingChange.objects.select_related("calculation")
    }
    places = {
        (row.entry.section_id, row.system, row.entry.player_id): row.post_rating
        for row in published
    }
    return [abs(ours[key] - post) for key, post in places.items() if key in ours]


@pytest.mark.parametrize(
    ("event", "ratings", "tolerance"),
    [
        ("Novice Day", 12, 0.0101),  # published with two decimals, in both systems
        ("Lakeshore Open", 64, 1),
        ("Late Spring Swiss", 34, 1),
    ],
)
def test_complete_sections_come_out_as_published(faulty, event, ratings, tolerance):
    found = differences(entry__section__event__name=event)
    assert len(found) == ratings
    assert max(found) <= tolerance


def test_sections_without_a_date_have_one_with_the_right_bonus_multiplier(faulty):
    """The sections of 2021 were rated with B = 14; with another most would miss."""
    found = differences(entry__section__event__ends__year=2021)
    assert len(found) > 1000
    assert sum(difference <= 1 for difference in found) > 0.7 * len(found)


def test_a_finished_experiment_with_plots_is_public(faulty, client):
    experiment = Experiment.objects.get(standing_month=None)
    assert experiment.is_published
    page = client.get(experiment.get_absolute_url()).content.decode()
    assert experiment.public_title in page
    assert page.count('<figure class="chart">') >= 8
    listed = client.get(reverse("ratings:experiments")).content.decode()
    assert experiment.public_title in listed


def test_the_last_two_months_have_their_standing_comparison(faulty, client):
    due = due_month(timezone.localdate())
    shown = client.get(reverse("ratings:standing")).context
    assert shown["months"] == [due, months_before(due, 1)]
    assert shown["shown"].best.deviance[0] < 100


def test_each_of_the_last_months_has_a_list_with_all_six_systems(faulty):
    due = next_month_due(timezone.now())
    lists = list(OfficialList.objects.all())
    assert [one.month for one in lists] == [months_before(due, n) for n in range(6)]
    for older, newer in zip(lists[1:], lists, strict=False):
        assert older.cut_off < older.published_at < newer.cut_off
    systems = lists[0].ratings.order_by().values_list("system", flat=True)
    assert set(systems) == {system.value for system in System}
    changed = [row["changed"] for row in lists[0].summary["systems"]]
    assert any(changed)
    assert lists[0].summary["movers"]


def test_one_rerate_took_in_what_came_late_and_was_corrected(faulty, client):
    run = Run.objects.get(kind=Run.Kind.RERATE)
    assert run.status == Run.Status.PUBLISHED
    kinds = sorted(run.marks.values_list("kind", flat=True))
    assert kinds == ["correction", "foreign", "late"]
    page = client.get(reverse("ratings:rerate", args=[run.pk])).content.decode()
    for what in ("Harbor Weekend Swiss", "Federation Championship", "Three Capes"):
        assert what in page
    # The list after it was published goes on from its ratings.
    assert run.published_at < OfficialList.objects.first().cut_off


def test_match_of_the_demo_ends_at_its_cap_on_both_sides(faulty):
    """3½ of 4 against an opponent 250 points stronger gains the cap of 50 points."""
    lines = RatingChange.objects.filter(
        calculation__section__event__name="Harbor Match", calculation__is_current=True
    ).order_by("-post_rating")
    changes = [line.post_rating - line.pre_rating for line in lines]
    assert sorted(changes) == [-50.0, 50.0]


def test_reports_wait_for_the_clerk_each_for_its_own_reason(faulty):
    waiting = {
        report.event_name: {
            finding.code: finding.severity.value for finding in findings_of(report)
        }
        for report in Submission.objects.filter(state=Submission.State.SUBMITTED)
    }
    assert waiting == {
        "Harbor Quad": {},
        "Riverside Park Quad": {"member.lapsed": "confirm"},
        "Union Street Quad": {"member.duplicate": "error"},
        "Cedar Beginners’ Quad": {"newcomer.waits": "note"},
    }
    assert Submission.objects.get(event_name="Union Street Quad").finding_counts == {
        "error": 1
    }


def test_the_federation_plays_in_several_cities_up_to_last_week(faulty):
    today = timezone.localdate()
    recent = Event.objects.filter(ends__gt=today - timedelta(days=300))
    assert recent.order_by().values("city").distinct().count() == 7
    newest = recent.order_by("-ends").first()
    assert today - timedelta(days=7) <= newest.ends < today
    coming = EventRegistration.objects.filter(starts__gte=today)
    assert coming.order_by().values("affiliate").distinct().count() == 6


@pytest.mark.parametrize("number", range(7))
def test_days_are_saturdays_that_are_over(number):
    today = date(2028, 2, 24) + timedelta(days=number)
    with at_noon(today):
        assert saturday(0).weekday() == 5
        assert today - timedelta(days=7) <= saturday(0) < today
        assert saturday(3) == saturday(0) - timedelta(weeks=3)


def test_a_month_in_which_the_club_plays_twice_gives_two_names():
    with at_noon(date(2027, 2, 10)):
        evenings = load_club(Register())
    months = {(one.starts.year, one.starts.month) for one in evenings}
    names = {one.event_name for one in evenings}
    assert (len(months), len(names)) == (14, 20)


def test_members_linked_to_fide_were_rated_before_its_older_list(faulty):
    """Otherwise the link asks for a rerate of how they started, on some days."""
    oldest = FideList.objects.earliest("list_date").list_date
    linked = Player.objects.exclude(fide_id=None)
    assert linked.count() == 4
    first_ratings = RatingChange.objects.filter(player__in=linked, pre_rating=None)
    assert not first_ratings.filter(calculation__section__ends__gte=oldest).exists()


def test_history_of_the_demo_can_be_replayed(faulty):
    finding = audit_ledger()
    assert (finding.faults, finding.is_good) == ([], True)


def test_demo_does_not_mix_with_other_members(faulty):
    with pytest.raises(NotEmpty):
        load(lambda line: None)


def test_office_with_members_of_its_own_starts_without_the_demo(
    faulty, capsys, monkeypatch, settings
):
    settings.REQUIRE_SECOND_FACTOR = True
    monkeypatch.setattr(startup_checks, "is_production", lambda: False)  # as on SQLite
    User.objects.filter(username="staff").update(username="someone")  # no demo, then
    Serve()._load_demo()
    assert capsys.readouterr().err == (
        "Demo not loaded: This database already has members. The demo federation "
        "needs an empty database.\n"
    )
    assert settings.REQUIRE_SECOND_FACTOR is True


def test_demo_accounts_are_found_while_their_passwords_are_those_printed(faulty):
    names = [account.username for account in DEMO_ACCOUNTS]
    assert sorted(open_demo_accounts()) == sorted(names)
    User.objects.filter(username="td").update(is_active=False)
    manager = User.objects.get(username="manager")
    manager.set_password("another")
    manager.save()
    assert set(names) - set(open_demo_accounts()) == {"td", "manager"}


def test_second_start_changes_nothing(faulty, monkeypatch):
    before = Player.objects.count(), Submission.objects.count()
    monkeypatch.setattr(startup_checks, "is_production", lambda: False)  # as on SQLite
    call_command("load_demo")
    assert (Player.objects.count(), Submission.objects.count()) == before


def test_report_with_errors_is_in_the_list(faulty):
    waiting = Submission.objects.get(state=Submission.State.OPEN)
    codes = {
        (finding.code, finding.place.section)
        for finding in findings_of(waiting)
        if finding.severity in (Severity.ERROR, Severity.CONFIRM)
    }
    assert codes == {
        ("result.not_mirrored", 1),
        ("member.other_name", 1),
        ("entry.member_id_missing", 2),
        ("section.dates_reversed", 2),
        ("time_control.unreadable", 2),
    }


def test_faulty_report_can_be_corrected_and_rated(faulty):
    director = User.objects.get(username="td")
    assert len(zipfile.ZipFile(io.BytesIO(faulty)).namelist()) == 3
    submission = receive_submission(
        actor=director, files=[("faulty-report.zip", faulty)]
    )
    report = reported_in(submission)
    by_name = {
        f"{player.family_name}, {player.given_name}".upper()[:30]: player.member_id
        for player in Player.objects.filter(member_id__lt="12000030")
    }

    def common(version: int) -> dict:
        return {"submission_id": submission.pk, "actor": director, "version": version}

    set_cell(
        **common(1),
        section_number=1,
        pairing_number=2,
        round_number=3,
        cell=parse_cell("D1B"),
    )
    for version, (section, number) in enumerate([(1, 4), (2, 3)], start=2):
        name = report.section(section).entry(number).name
        set_entry(
            **common(version),
            section_number=section,
            pairing_number=number,
            changes={"member_id": by_name[name]},
        )
    set_section(
        **common(4),
        section_number=2,
        changes={"ends": report.starts, "time_control": "G/60;d5"},
    )
    submission.refresh_from_db()
    assert blocking_findings(submission) == []
    submit_report(submission_id=submission.pk, actor=director)
    event = accept_report(
        submission_id=submission.pk, actor=User.objects.get(username="staff")
    )
    run_due_jobs()
    assert set(event.sections.values_list("status", flat=True)) == {"rated"}
