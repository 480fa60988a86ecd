"""A wrong ID is the most common error: evidence for and against another person."""

from dataclasses import replace
from datetime import date

import pytest
from django.utils import timezone

from events.checks.name_matching import (
    NameMatch,
    are_neighbors,
    name_match,
    slip,
)
from events.checks.queries.identity import check_identities
from events.checks.queries.members import members_of
from events.formats.findings import Finding
from events.formats.report import ReportedEvent
from players.models import Player
from ratings_site.common.names.typos import ids_one_typo_away
from tests.factories import (
    event_report,
    make_player,
    make_td,
    section_report,
    swiss_rows,
)


def member(given: str, family: str) -> Player:
    return Player(given_name=given, family_name=family)


@pytest.mark.parametrize(
    ("reported", "given", "family", "how"),
    [
        ("SMITH, ROBERT", "Robert", "Smith", NameMatch.SAME),
        ("Robert Smith Jr.", "Robert", "Smith", NameMatch.SAME),
        ("SMITH, R", "Robert", "Smith", NameMatch.SAME),
        ("NUNEZ, MARIA", "María José", "Núñez", NameMatch.SAME),
        ("", "Robert", "Smith", NameMatch.SAME),
        ("OBRIEN, PAT", "Pat", "O'Brien", NameMatch.SAME),
        ("SMITH, BOB", "Robert", "Smith", NameMatch.NICKNAME),
        ("KOVALSKY, ANNA", "Anna", "Kowalski", NameMatch.SOUND),
        ("SMITH, ANNA", "Robert", "Smith", NameMatch.FAMILY_ONLY),
        ("JONES, ROBERT", "Robert", "Smith", NameMatch.GIVEN_ONLY),
        ("ZULU, ZOE", "Robert", "Smith", NameMatch.OTHER),
        # A single word is part of the name, in either position.
        ("SMITH", "Robert", "Smith", NameMatch.PART),
        ("ROBERT", "Robert", "Smith", NameMatch.PART),
        ("ZULU", "Robert", "Smith", NameMatch.OTHER),
        # Equal consonants are not enough.
        ("SMITH, JANE", "John", "Smith", NameMatch.FAMILY_ONLY),
        ("SMITH, MARY", "Moira", "Smith", NameMatch.FAMILY_ONLY),
        ("SMITH, ALAN", "Ellen", "Smith", NameMatch.FAMILY_ONLY),
        ("TAYLOR, DEAN", "Tony", "Tyler", NameMatch.FAMILY_ONLY),
        ("SMITH, KATHRYN", "Catherine", "Smith", NameMatch.SOUND),
        ("SMITH, SHAWN", "Sean", "Smith", NameMatch.SOUND),
        ("SMITH, MUHAMMAD", "Mohammed", "Smith", NameMatch.SOUND),
        # Non-Latin letters are compared as written.
        ("Иванов Иван", "Robert", "Smith", NameMatch.OTHER),
        ("王小明", "Robert", "Smith", NameMatch.OTHER),
        ("ИВАНОВ, Иван", "Иван", "Иванов", NameMatch.SAME),
        ("Jr.", "Robert", "Smith", NameMatch.SAME),
    ],
)
def test_names_are_compared_as_people_compare_them(reported, given, family, how):
    assert name_match(reported, member(given, family)) == how


@pytest.mark.parametrize(
    ("typed", "how"),
    [
        ("12345687", "two digits swapped"),
        ("32145678", "two digits swapped"),
        ("12345679", "one digit is different"),
        ("1234578", "one digit missing"),
        ("123456678", "one digit too many"),
        ("12345678", ""),
        ("12345699", ""),
        ("87654321", ""),
        ("soon", ""),
    ],
)
def test_typo_is_named_and_found(typed, how):
    assert slip(typed, "12345678") == how
    assert ("12345678" in ids_one_typo_away(typed)) == bool(how)


def test_states_with_a_border_are_neighbors():
    assert are_neighbors("WI", "IL")
    assert are_neighbors("RI", "CT")
    assert not are_neighbors("CA", "NY")
    assert not are_neighbors("", "IL")


# Findings


@pytest.fixture
def td(db):
    return make_td()


@pytest.fixture
def anna(db) -> Player:
    return make_player("12345678", "Anna", "Kowalski", state="IL")


def report_with(td, player: Player, **entry) -> ReportedEvent:
    other = make_player(given_name="Other", family_name="Body", state="IL")
    report = event_report(td, [section_report([player, other], swiss_rows(2, 1))])
    return report.with_entry(1, 1, **entry)


def found(reported: ReportedEvent) -> list[Finding]:
    return list(check_identities(reported, members_of(reported)))


def messages_of(reported: ReportedEvent) -> list[tuple[str, str]]:
    return [(finding.severity.value, finding.code) for finding in found(reported)]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("KOWALSKI, ANNA", []),
        ("KOWALSKI, ANN", []),
        ("KOVALSKY, ANNA", [("note", "member.spelled_otherwise")]),
        ("KOWALSKI, PIOTR", [("caution", "member.sibling")]),
        ("NOWAK, ANNA", [("caution", "member.other_family_name")]),
        ("ZULU, ZOE", [("confirm", "member.other_name")]),
        ("KOWALSKI, OWEN", [("caution", "member.sibling")]),
        ("Иванов Иван", [("confirm", "member.other_name")]),
    ],
)
def test_name_tells_how_doubtful_an_id_is(td, anna, name, expected):
    assert messages_of(report_with(td, anna, name=name)) == expected


def test_nickname_is_a_note(td):
    bob = make_player(given_name="Robert", family_name="Smith")
    [finding] = found(report_with(td, bob, name="SMITH, BOB"))
    assert (finding.severity.value, finding.code) == ("note", "member.nickname")


@pytest.mark.parametrize(
    ("name", "given", "family", "code"),
    [
        ("KOWALSKI, PIOTR", "Piotr", "Kowalski", "member.sibling"),
        ("NOWAK, ANNA", "Anna", "Nowak", "member.other_family_name"),
    ],
)
def test_member_of_the_very_name_makes_it_a_matter_to_confirm(
    td, anna, name, given, family, code
):
    meant = make_player("55555555", given, family)
    [finding] = found(report_with(td, anna, name=name))
    assert (finding.severity.value, finding.code) == ("confirm", code)
    assert finding.hint.startswith(f"{meant.name} is 55555555. Correct the ID")


def test_exchanged_digits_are_named_with_the_member_they_lead_to(td, anna):
    make_player("12345687", "Zoe", "Zulu")
    make_player("99999999", "Zoe", "Zulu")
    [finding] = found(report_with(td, anna, name="ZULU, ZOE"))
    assert finding.message == (
        "The report says “ZULU, ZOE”, but 12345678 is Anna Kowalski."
    )
    assert finding.hint.startswith("Zoe Zulu is 12345687 (two digits swapped).")


@pytest.mark.parametrize(
    ("state", "namesake_lives", "expected"),
    [
        ("IL", "NY", []),
        ("", "NY", []),
        ("WI", None, [("note", "member.other_state")]),
        ("NY", None, [("note", "member.other_state")]),
        ("NY", "CA", [("note", "member.other_state")]),
        (
            "NY",
            "NY",
            [("confirm", "member.namesake"), ("note", "member.other_state")],
        ),
    ],
)
def test_namesake_who_lives_where_the_report_says(
    td, anna, state, namesake_lives, expected
):
    if namesake_lives:
        make_player(given_name="Anna", family_name="Kowalski", state=namesake_lives)
    assert messages_of(report_with(td, anna, state=state)) == expected


@pytest.mark.parametrize(("state", "severity"), [("WI", "note"), ("NY", "caution")])
def test_other_state_weighs_more_where_the_name_is_doubtful(td, state, severity):
    bob = make_player(given_name="Robert", family_name="Smith", state="IL")
    report = report_with(td, bob, name="SMITH, BOB", state=state)
    assert (severity, "member.other_state") in messages_of(report)


def section_of_ages(td, ages: list[int]) -> ReportedEvent:
    year = timezone.localdate().year
    players = [
        make_player(given_name=f"P{n}", birth_date=date(year - age, 6, 1))
        for n, age in enumerate(ages)
    ]
    return event_report(td, [section_report(players, swiss_rows(len(ages), 1))])


@pytest.mark.parametrize(
    ("ages", "flagged"),
    [
        ([9] * 9 + [44], [10]),
        ([17] * 9 + [18], [10]),
        ([9] * 10, []),
        ([9] * 8 + [44, 40], []),  # two in ten adults are a field of all ages
        ([9] * 5 + [44], []),  # too few entries
        ([44] * 9 + [9], []),  # children play among adults everywhere
    ],
)
def test_adult_among_children_is_a_caution(td, ages, flagged):
    findings = found(section_of_ages(td, ages))
    assert [(f.code, f.place.pairing_number) for f in findings] == [
        ("member.other_age", number) for number in flagged
    ]
    assert all(str(44) not in finding.message for finding in findings)


def test_day_of_the_report_does_not_tell_a_birth_date(td):
    report = section_of_ages(td, [9] * 9 + [44])
    for year in (1980, 2024, 2026):
        moved = replace(report, starts=date(year, 5, 4), ends=date(year, 5, 5))
        assert [code for _, code in messages_of(moved)] == ["member.other_age"]


def test_two_sections_of_the_same_days_are_a_note(td, anna):
    other = make_player(given_name="Other", family_name="Body")
    sections = [
        section_report([anna, other], swiss_rows(2, 1), number=1),
        section_report([anna, other], swiss_rows(2, 1), number=2),
    ]
    report = event_report(td, sections)
    assert messages_of(report) == [("note", "member.two_sections")] * 2
    apart = report.with_section(1, ends=report.starts).with_section(
        2, starts=report.ends
    )
    assert messages_of(apart) == []


def test_who_did_not_play_was_not_in_two_places(td, anna):
    other = make_player(given_name="Other", family_name="Body")
    third = make_player(given_name="Third", family_name="Man")
    sections = [
        section_report([anna, other, third], ["U0", "W3W", "L2B"], number=1),
        section_report([anna, make_player()], swiss_rows(2, 1), number=2),
    ]
    assert messages_of(event_report(td, sections)) == []


@pytest.mark.parametrize("size", [2, 40])
def test_identities_take_the_same_queries_for_any_size(
    td, size, django_assert_num_queries
):
    players = [make_player(given_name=f"P{n}") for n in range(size)]
    report = event_report(td, [section_report(players, swiss_rows(size, 1))])
    for number in range(1, size + 1):
        report = report.with_entry(1, number, name=f"ZULU, ZOE{number}")
    members = members_of(report)
    with django_assert_num_queries(2):
        assert len(list(check_identities(report, members))) == size
