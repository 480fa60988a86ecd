"""Likely members for a doubtful entry, without birth dates."""

from datetime import date

import pytest
from django.contrib.auth.models import AnonymousUser
from django.template.loader import render_to_string
from django.test import RequestFactory
from django.urls import reverse
from django.utils import timezone

from events.checks.queries.likely_members import (
    IDENTITY_CODES,
    LikelyMember,
    likely_members,
)
from events.checks.queries.office_records import check_against_records
from events.formats.checks.report import check_report
from events.formats.findings import Finding, Place, Severity
from events.formats.report import ReportedEvent
from players.models import Player
from tests.factories import (
    accepted_event,
    event_report,
    make_affiliate,
    make_player,
    make_td,
    section_report,
    swiss_rows,
    upload,
)

pytestmark = pytest.mark.calendar

YEAR = timezone.localdate().year


@pytest.fixture
def td(db):
    return make_td()


def report_of_two(td, **entry) -> ReportedEvent:
    players = [make_player("12345678", "Piotr", "Nowak"), make_player()]
    report = event_report(td, [section_report(players, swiss_rows(2, 1))])
    return report.with_entry(1, 1, **entry)


def likely(reported: ReportedEvent) -> list[LikelyMember]:
    findings = [*check_report(reported), *check_against_records(reported)]
    return likely_members(reported, findings).get((1, 1), [])


def meant(**fields) -> Player:
    values = {"given_name": "Anna", "family_name": "Kowalski", "state": "IL", **fields}
    return make_player(values.pop("member_id", None), **values)


def test_member_with_exchanged_digits_and_the_name_comes_first(td):
    anna = meant(
        member_id="12345687",
        birth_date=date(YEAR - 9, 5, 1),
        ratings={"OTBR": (1234.4, 30), "OTBQ": (1100.0, 30)},
    )
    elsewhere = meant(member_id="77777777", state="NY", birth_date=None)
    found = likely(report_of_two(td, name="KOWALSKI, ANNA", rating="1200"))
    assert found == [
        LikelyMember(
            member_id=anna.member_id,
            name="Anna Kowalski",
            club="",
            state="IL",
            age_band="under 13",
            rating="1234 R",
            reason="two digits of the ID swapped, same name, same state, similar "
            "rating",
            is_exact=True,
            birth_year=YEAR - 9,
        ),
        LikelyMember(
            elsewhere.member_id,
            "Anna Kowalski",
            "",
            "NY",
            "",
            "unrated",
            "same name",
            is_exact=True,
        ),
    ]


def test_member_of_the_club_is_likelier_than_a_stranger(td):
    stranger = meant(member_id="70000001", state="")
    clubmate = meant(member_id="70000002", state="")
    visitor = make_player(given_name="Some", family_name="Visitor")
    section = section_report([clubmate, visitor], swiss_rows(2, 1))
    accepted_event(td, event_report(td, [section], name="Club night"))
    found = likely(report_of_two(td, name="KOWALSKI, ANNA"))
    assert [(one.member_id, one.club, one.reason) for one in found] == [
        (clubmate.member_id, make_affiliate().name, "same name, same club"),
        (stranger.member_id, "", "same name"),
    ]


@pytest.mark.parametrize(
    ("reported", "given", "family", "reason"),
    [
        ("SMITH, BOB", "Robert", "Smith", "nickname"),
        ("Bob Smith", "Robert", "Smith", "nickname"),
        ("KOVALSKY, ANNA", "Anna", "Kowalski", "name sounds the same"),
        ("KOWALSKI ANNA", "Anna", "Kowalski", "same name"),
        ("OBRIEN, PAT", "Pat", "O'Brien", "same name"),
        ("O BRIEN PAT", "Pat", "OBrien", "same name"),
        ("Anna Kowalski", "Anna", "Kowalski", "same name"),
    ],
)
def test_names_are_found_in_any_order_and_spelling(td, reported, given, family, reason):
    player = make_player(given_name=given, family_name=family)
    found = likely(report_of_two(td, name=reported))
    assert [(one.member_id, one.reason) for one in found] == [
        (player.member_id, reason)
    ]


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("KOWALSKI", "two digits of the ID swapped, part of the name"),
        ("Anna", "two digits of the ID swapped, part of the name"),
        ("Иванов Иван", "two digits of the ID swapped"),
    ],
)
def test_no_name_is_called_the_same_that_is_not(td, name, reason):
    meant(member_id="12345687", state="")
    found = likely(report_of_two(td, name=name, member_id="12345678"))
    assert [one.reason for one in found] == [reason]


@pytest.mark.parametrize("typed", ["22345679", "2234578", "", "00000000"])
def test_unknown_and_missing_ids_have_likely_members_too(td, typed):
    anna = meant(member_id="22345678")
    found = likely(report_of_two(td, name="KOWALSKI, ANNA", member_id=typed))
    assert [one.member_id for one in found] == [anna.member_id]


def test_a_similar_number_alone_is_not_a_likely_member(td):
    make_player("12345687", "Somebody", "Else")
    assert likely(report_of_two(td, name="ZULU, ZOE")) == []


def test_who_plays_already_died_or_was_merged_is_not_likely(td):
    meant(status="deceased")
    meant(status="duplicate")
    here = meant()
    report = report_of_two(td, name="KOWALSKI, ANNA")
    assert likely(report.with_entry(1, 2, member_id=here.member_id)) == []


def test_at_most_three_are_shown(td):
    for _ in range(5):
        meant()
    assert len(likely(report_of_two(td, name="KOWALSKI, ANNA"))) == 3


def test_certain_entry_has_no_likely_members(td):
    meant(family_name="Nowak", given_name="Piotr")
    assert likely(report_of_two(td)) == []


def test_note_has_no_likely_members(td):
    report = report_of_two(td, name="KOWALSKI, ANNA")
    meant()
    place = Place(section=1, pairing_number=1, field="member_id")
    note = Finding(Severity.NOTE, "member.other_state", place, "Odd.")
    gone = Finding(Severity.ERROR, "member.unknown", Place(section=9), "Odd.")
    assert likely_members(report, [note, gone]) == {}
    assert "member.other_state" in IDENTITY_CODES


@pytest.mark.parametrize(
    ("born", "band"),
    [(YEAR - 12, "under 13"), (YEAR - 13, "under 18"), (YEAR - 18, "adult")],
)
def test_age_is_told_as_a_band(td, born, band):
    meant(birth_date=date(born, 12, 31))
    [found] = likely(report_of_two(td, name="KOWALSKI, ANNA"))
    assert found.age_band == band


@pytest.mark.parametrize("size", [2, 30])
def test_likely_members_take_the_same_queries_for_any_size(
    td, size, django_assert_num_queries
):
    players = [make_player(given_name=f"P{n}") for n in range(size)]
    report = event_report(td, [section_report(players, swiss_rows(size, 1))])
    for number in range(1, size + 1):
        report = report.with_entry(1, number, name="KOWALSKI, ANNA")
    meant()
    findings = check_against_records(report)
    with django_assert_num_queries(3):
        assert len(likely_members(report, findings)) == size


def test_fragment_offers_each_with_a_form(td):
    report = report_of_two(td, name="KOWALSKI, <b>ANNA</b>")
    anna = meant(member_id="12345687")
    submission = upload(td, report)
    [finding] = [
        f
        for f in check_against_records(report, submission=submission)
        if f.code == "member.other_name"
    ]
    chosen = likely_members(report, [finding])[1, 1]
    request = RequestFactory().get("/")
    request.user = AnonymousUser()
    html = render_to_string(
        "events/reports/_likely.html",
        {"line": {"likely": chosen, "finding": finding}, "submission": submission},
        request=request,
    )
    assert reverse("events:use_member", args=[submission.pk, 1, 1]) in html
    assert f'name="member_id" value="{anna.member_id}"' in html
    assert f'name="version" value="{submission.version}"' in html
    assert "two digits of the ID swapped" in html


@pytest.mark.parametrize("reversed_name", [False, True])
def test_a_name_that_the_file_cut_is_found(td, reversed_name):
    family = "Featherstonehaugh-Worthington"
    long = meant(member_id="70000003", given_name="Rafael", family_name=family)
    name = f"{family}, Rafael" if reversed_name else f"Rafael {family}"
    found = likely(report_of_two(td, name=name[:31], member_id=""))
    assert [one.member_id for one in found] == [long.member_id]
