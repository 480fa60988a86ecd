"""Member IDs in the column of FIDE IDs, recognized by the members who have them."""

from datetime import date
from pathlib import Path

import pytest

from events.checks.queries.fide_members import with_members
from events.checks.services import findings_of
from events.formats.findings import Finding, Severity
from events.formats.report import ReportedEntry
from events.formats.report_reader import ReadResult
from events.models import OfficeTask
from events.reports.services.submissions import (
    receive_submission,
    reported_in,
)
from players.models import FideList, FidePlayer, Player
from tests.events.formats.pgn_samples import game
from tests.events.formats.test_chess_results import ANN, BOB, CID, document
from tests.factories import (
    event_report,
    make_affiliate,
    make_player,
    make_td,
    section_report,
)

pytestmark = pytest.mark.django_db

FIELD_CASES = Path(__file__).parents[2] / "data" / "field-cases"
GIVEN = ("Ada", "Boris", "Dara", "Esther")
IDS = ("12000001", "12000094", "12000187", "12000280")
CELLS = ("2 w 1", "1 b 0", "4 w 1", "3 b 0")
POINTS = ("1.0", "0.0", "1.0", "0.0")


@pytest.fixture
def td():
    make_affiliate()
    return make_td("td")


@pytest.fixture
def members(db) -> list[Player]:
    return [
        make_player(member_id, given, "Abara")
        for member_id, given in zip(IDS, GIVEN, strict=True)
    ]


def tournament(numbers, *, names=None, federations=("", "", "", "CAN")) -> bytes:
    """Return a file with a guest's federation, so that its reader has no question."""
    lines = ["012 Maple Open", "042 2024/05/04", "052 2024/05/04", "XXR 1"]
    names = names or [f"Abara, {given}" for given in GIVEN]
    rows = zip(names, numbers, federations, POINTS, CELLS, strict=True)
    for number, (name, fide_id, federation, points, cell) in enumerate(rows, start=1):
        lines.append(
            f"001 {number:4} m    {name:33} 1800 {federation:3} {fide_id:>11} "
            f"{'':10} {points} {number:4}  {cell:>8}"
        )
    return "\n".join(lines).encode()


def receive(td, content: bytes, name: str = "may.trf"):
    submission = receive_submission(actor=td, files=[(name, content)])
    entries = reported_in(submission).sections[0].entries
    return submission, entries, findings_of(submission)


def numbers_of(entries: tuple[ReportedEntry, ...]) -> list[tuple[str, str]]:
    return [(entry.member_id, entry.fide_id) for entry in entries]


def messages_of(findings: list[Finding]) -> list[str]:
    return [one.message for one in findings if one.code == "member.by_number"]


def test_field_case_needs_no_answer_and_no_look_up(td, members):
    name = "17-trf-member-ids-in-number-column.trf"
    content = (FIELD_CASES / name).read_bytes()
    submission, entries, findings = receive(td, content, name)
    assert numbers_of(entries) == [(member_id, "") for member_id in IDS]
    assert {(entry.rating, entry.fide_rating) for entry in entries} == {("1800", "")}
    assert messages_of(findings) == [
        "4 numbers in the FIDE ID column belong to members with the same or a similar "
        "name. We entered them as member IDs."
    ]
    codes = {finding.code for finding in findings}
    assert not codes & {"trf.member_ids", "entry.member_id_missing", "member.unknown"}
    assert not OfficeTask.objects.filter(submission=submission).exists()


def test_reader_asks_as_before_where_no_member_has_the_numbers(td):
    _, entries, findings = receive(td, tournament(IDS, federations=("",) * 4))
    assert numbers_of(entries) == [(member_id, "") for member_id in IDS]
    assert [one.severity for one in findings if one.code == "trf.member_ids"] == [
        Severity.CONFIRM
    ]
    assert messages_of(findings) == []


def test_reader_asks_as_before_where_most_names_differ(td, members):
    names = ["Abara, Ada", "Zulu, Zoe", "Quist, Pia", "Orr, Tom"]
    content = tournament(IDS, names=names, federations=("",) * 4)
    _, _, findings = receive(td, content)
    assert "trf.member_ids" in {finding.code for finding in findings}


def test_member_ids_beside_a_real_fide_id_are_told_by_the_names(td, members):
    numbers = (*IDS[:3], "2620001")
    _, entries, findings = receive(td, tournament(numbers))
    assert numbers_of(entries) == [*((one, "") for one in IDS[:3]), ("", "2620001")]
    assert [(entry.rating, entry.fide_rating) for entry in entries] == [
        *[("1800", "")] * 3,
        ("", "1800"),
    ]
    [message] = messages_of(findings)
    assert message.startswith("3 numbers in the FIDE ID column belong to members")


def test_similar_names_count_and_the_whole_section_follows(td, members):
    """Unknown IDs and those of other names are left to the checks."""
    names = ["ABARA, ADA", "Abarra, Boris", "Zulu, Zoe", "Abara, Fay"]
    numbers = (*IDS[:3], "12000999")
    _, entries, findings = receive(td, tournament(numbers, names=names))
    assert numbers_of(entries) == [(one, "") for one in numbers]
    assert messages_of(findings) == [
        "The FIDE ID column has member IDs. 2 of 4 belong to members with the same or "
        "a similar name. We entered all of them as member IDs."
    ]
    assert [
        (finding.place.pairing_number, finding.code)
        for finding in findings
        if finding.code in ("member.other_name", "member.unknown")
    ] == [(4, "member.unknown"), (3, "member.other_name")]


def test_number_of_another_name_alone_stays_a_fide_id(td, members):
    names = ["Zulu, Zoe", "Quist, Pia", "Orr, Tom", "Fox, Ann"]
    _, entries, findings = receive(td, tournament(IDS, names=names))
    assert numbers_of(entries) == [("", one) for one in IDS]
    assert messages_of(findings) == []


def test_only_the_members_own_numbers_are_taken_among_other_fide_ids(td, members):
    numbers = (IDS[0], "14100000", "14100001", "2620001")
    _, entries, findings = receive(td, tournament(numbers))
    assert numbers_of(entries) == [
        (IDS[0], ""),
        ("", "14100000"),
        ("", "14100001"),
        ("", "2620001"),
    ]
    assert messages_of(findings) == [
        "One number in the FIDE ID column belongs to a member with the same or a "
        "similar name. We entered it as the member ID."
    ]


def test_known_fide_ids_stay_fide_ids(td, members):
    """One is on FIDE's list, one is the FIDE ID of a member."""
    make_player("30000001", "Dara", "Abara", fide_id="14100001")
    fide_list = FideList.objects.create(
        list_date=date(2024, 5, 1),
        state=FideList.State.CURRENT,
        file_name="x",
        size=1,
    )
    FidePlayer.objects.create(list=fide_list, fide_id=14100000, name="Abara, Esther")
    numbers = (*IDS[:2], "14100001", "14100000")
    _, entries, _ = receive(td, tournament(numbers))
    assert numbers_of(entries) == [
        (IDS[0], ""),
        (IDS[1], ""),
        ("30000001", "14100001"),
        ("", "14100000"),
    ]


def test_name_decides_where_a_number_is_a_member_id_and_a_fide_id(td, members):
    make_player("30000001", "Wei", "Zhou", fide_id=IDS[0])
    make_player("30000002", "Boris", "Abara", fide_id=IDS[1])
    members[1].family_name = "Quist"
    members[1].save()
    _, entries, _ = receive(td, tournament((*IDS[:2], "", "")))
    assert numbers_of(entries)[:2] == [(IDS[0], ""), ("30000002", IDS[1])]


def test_other_readers_have_such_columns_too(td):
    make_player("12000001", "Ann", "Poe")
    make_player("12000094", "Bob", "Doe")
    table = (
        'No,Name,FIDE ID,Rd 1\n1,"Poe, Ann",12000001,W2\n2,"Doe, Bob",12000094,L1\n'
        '3,"Orr, Tom",2620001,B\n'
    )
    without = [
        {key: value for key, value in one.items() if key != "id"} | {"fideid": number}
        for one, number in zip(
            (ANN, BOB, CID), ("12000001", "12000094", ""), strict=True
        )
    ]
    files = {
        "may.csv": table.encode(),
        "may.xml": document(players=tuple(without)),
        "may.pgn": game(
            WhiteFideId="12000001", BlackFideId="12000094", WhiteElo="1800"
        ).encode(),
    }
    for name, content in files.items():
        _, entries, findings = receive(td, content, name)
        assert numbers_of(entries)[:2] == [("12000001", ""), ("12000094", "")], name
        assert [entry.fide_rating for entry in entries][:2] == ["", ""]
        assert len(messages_of(findings)) == 1


@pytest.mark.parametrize("players", [2, 40])
def test_finding_them_takes_two_queries_for_any_number(
    td, django_assert_num_queries, players
):
    entries = [make_player(given_name="Ada", family_name="Abara")] * players
    report = event_report(td, [section_report(entries, ["U0"] * players)])
    for number in range(1, players + 1):
        own = make_player(given_name="Ada", family_name="Abara")
        fide_id = own.member_id if number % 2 else str(14_000_000 + number)
        report = report.with_entry(
            1, number, member_id="", fide_id=fide_id, name="Abara, Ada"
        )
    with django_assert_num_queries(2):
        filled = with_members(ReadResult(report))
    assert all(entry.member_id for entry in filled.reported.sections[0].entries)


def test_member_id_in_both_columns_is_no_fide_id(td, members):
    table = "\n".join(
        [
            "No.,Name,Member ID,FIDE ID,Rd 1",
            f"1,Abara {GIVEN[0]},{IDS[0]},{IDS[0]},W2",
            f"2,Abara {GIVEN[1]},{IDS[1]},14100001,L1",
        ]
    )

    _, entries, _ = receive(td, table.encode(), "may.csv")

    assert numbers_of(entries) == [(IDS[0], ""), (IDS[1], "14100001")]
