"""Entries without a member ID that match a member exactly, accepted in one action."""

from datetime import date

import pytest
from django.urls import reverse

from events.checks.queries.exact_matches import BY_FIDE_ID, BY_NAME, exact_matches
from events.models import Submission
from events.reports.services.member_records import accept_exact_matches
from events.reports.services.submissions import reported_in
from tests.events.newcomers.reports import QUAD
from tests.factories import event_report, make_player, make_td, section_report, upload

pytestmark = pytest.mark.django_db


@pytest.fixture
def td():
    return make_td("td")


def report_of(td, *entries: dict):
    """Return a quad in which the first entries lack an ID and have other values."""
    players = [make_player(given_name=f"Given{n}") for n in range(4)]
    report = event_report(td, [section_report(players, QUAD)])
    for number, said in enumerate(entries, start=1):
        report = report.with_entry(1, number, **{"member_id": "", **said})
    return report


def found_in(report) -> list[tuple[int, str, object]]:
    return [
        (match.entry_key[1], match.player.member_id, match.by)
        for match in exact_matches(report)
    ]


@pytest.mark.parametrize("written", ["2000001", "0002000001"])
def test_fide_id_and_whole_name_match(td, written):
    by_id = make_player(fide_id="2000001").member_id
    by_name = make_player(given_name="Mary Ann", family_name="O'Neil").member_id
    report = report_of(
        td, {"name": "ANYBODY", "fide_id": written}, {"name": "O'NEIL, MARY ANN"}
    )
    assert found_in(report) == [(1, by_id, BY_FIDE_ID), (2, by_name, BY_NAME)]


@pytest.mark.parametrize(
    ("name", "others"),
    [
        ("NEWMAN, S", [("Sam", "Newman")]),
        ("NEWMAN", [("Sam", "Newman")]),
        ("NEWMAN, SAM", [("Sam", "Newman"), ("Sam", "Newman")]),
        ("NEWMAN, SAM", [("Samuel", "Newman")]),
    ],
)
def test_short_or_ambiguous_name_has_no_match(td, name, others):
    for given, family in others:
        make_player(given_name=given, family_name=family, birth_date=date(2016, 5, 17))
    assert found_in(report_of(td, {"name": name})) == []


def test_other_fide_id_is_another_person(td):
    make_player(given_name="Sam", family_name="Newman", fide_id="2000002")
    report = report_of(td, {"name": "NEWMAN, SAM", "fide_id": "2000001"})
    assert found_in(report) == []


def test_a_member_is_matched_once_per_section(td):
    member = make_player(given_name="Sam", family_name="Newman")
    twice = report_of(td, {"name": "NEWMAN, SAM"}, {"name": "SAM NEWMAN"})
    assert found_in(twice) == []
    plays = twice.with_entry(1, 2, member_id=member.member_id)
    assert found_in(plays) == []


def test_who_has_died_is_not_matched(td):
    make_player(given_name="Sam", family_name="Newman", status="deceased")
    assert found_in(report_of(td, {"name": "NEWMAN, SAM"})) == []


def test_matches_are_listed_and_accepted_at_once(td, client):
    member = make_player(given_name="Sam", family_name="Newman")
    submission = upload(td, report_of(td, {"name": "NEWMAN, SAM"}, {"name": "NOBODY"}))
    client.force_login(td)
    page = client.get(submission.get_absolute_url()).content.decode()
    assert "1 entry without a member ID matches a member exactly." in page
    assert str(BY_NAME) in page
    url = reverse("events:take_matches", args=[submission.pk])
    done = client.post(url, {"version": submission.version}, follow=True)
    submission.refresh_from_db()
    section = reported_in(submission).sections[0]
    assert [one.member_id for one in section.entries[:2]] == [member.member_id, ""]
    assert (
        f"section 1, number 1: NEWMAN, SAM → {member.member_id} ({BY_NAME})"
        in done.content.decode()
    )


def test_old_page_takes_nothing(td, client):
    make_player(given_name="Sam", family_name="Newman")
    submission = upload(td, report_of(td, {"name": "NEWMAN, SAM"}))
    Submission.objects.update(version=7)
    client.force_login(td)
    url = reverse("events:take_matches", args=[submission.pk])
    response = client.post(url, {"version": submission.version})
    assert "The report has changed since you opened this page" in (
        response.content.decode()
    )
    response = client.post(url, {"version": "x"})
    assert "Reload the report and try again." in response.content.decode()
    submission.refresh_from_db()
    assert reported_in(submission).sections[0].entries[0].member_id == ""


def test_nothing_left_changes_nothing(td):
    submission = upload(td, report_of(td, {"name": "NOBODY"}))
    taken = accept_exact_matches(
        submission_id=submission.pk, actor=td, version=submission.version
    )
    assert taken is None


@pytest.mark.parametrize("entries", [1, 4])
def test_matches_take_one_query_for_any_number(td, django_assert_num_queries, entries):
    for number in range(4):
        make_player(given_name="Kim", family_name=f"Number{number}")
    said = [{"name": f"NUMBER{number}, KIM"} for number in range(entries)]
    report = report_of(td, *said)
    with django_assert_num_queries(1):
        assert len(exact_matches(report)) == entries
