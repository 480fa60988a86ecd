"""The exported files, read back and accepted, give the same event."""

from datetime import date

import pytest
from django.db import transaction
from hypothesis import given, reject, settings
from hypothesis import strategies as st

from events.checks.services import blocking_findings
from events.formats.checks.report import check_report
from events.formats.dbf.writer import zip_report
from events.formats.findings import Severity
from events.formats.report import (
    ReportedEvent,
    ReportedSection,
    format_cell,
)
from events.formats.report_reader import read_report
from events.models import Entry, Event, Game, Section, UnplayedRound
from events.records.exceptions import NotPossible
from events.records.exports import event_as_reported, export_event
from events.reports.services.submissions import (
    override_findings,
    receive_submission,
    submit_report,
)
from events.review.services.acceptance import accept_report
from tests.factories import (
    accepted_event,
    event_report,
    make_player,
    make_staff,
    make_td,
    section_report,
)
from tests.hypothesis_settings import example_count

pytestmark = pytest.mark.django_db

SINGLE = ["WL", "LW", "DD", "NR", "RS", "NN", "SS", "WR"]
DOUBLE = ["$L", "L$", "#D", "D#", "%%", "WW"]
COLORS = [("W", "B"), ("B", "W"), ("W", ""), ("", "W"), ("", "")]
FORFEITS = ["XF", "FX", "ZZ", "FF", "ZF"]


def contents(event: Event) -> dict:
    """Return the accepted event's data, without assigned IDs."""
    kept = ["name", "starts", "ends", "city", "state", "zip_code", "country"]
    return {
        "event": [getattr(event, name) for name in kept],
        "affiliate": event.affiliate.affiliate_id,
        "officials": sorted(
            event.officials.values_list("section_number", "role", "player__member_id"),
            key=str,
        ),
        "sections": list(
            Section.objects.filter(event=event)
            .order_by("number")
            .values(
                "number",
                "name",
                "kind",
                "starts",
                "ends",
                "rounds",
                "time_control",
                "is_online",
                "reported_system",
                "scholastic_level",
                "grand_prix",
                "grand_prix_points",
                "fide",
            )
        ),
        "entries": list(
            Entry.objects.filter(section__event=event)
            .order_by("section__number", "pairing_number")
            .values_list(
                "section__number",
                "pairing_number",
                "player__member_id",
                "reported_name",
                "reported_member_id",
                "reported_state",
                "reported_rating",
            )
        ),
        "games": sorted(
            Game.objects.filter(section__event=event).values_list(
                "section__number",
                "round_number",
                "leg",
                "first__pairing_number",
                "second__pairing_number",
                "first_color",
                "first_outcome",
                "second_outcome",
            )
        ),
        "unplayed": sorted(
            UnplayedRound.objects.filter(entry__section__event=event).values_list(
                "entry__section__number",
                "entry__pairing_number",
                "round_number",
                "kind",
                "opponent__pairing_number",
            ),
            key=str,
        ),
    }


def accept(td, staff, content: bytes) -> Event:
    submission = receive_submission(actor=td, files=[("report.zip", content)])
    for finding in blocking_findings(submission):
        override_findings(
            submission_id=submission.pk,
            actor=td,
            finding_keys=[finding.key],
            reason="It is so.",
        )
    submit_report(submission_id=submission.pk, actor=td)
    return accept_report(submission_id=submission.pk, actor=staff)


def accepted_and_exported(td, staff, content: bytes) -> tuple[dict, bytes]:
    """Accept and export the files, then roll back, so that they can be reused."""
    with transaction.atomic():
        event = accept(td, staff, content)
        result = contents(event), export_event(event)
        transaction.set_rollback(True)
    return result


def draw_pairing(draw: st.DrawFn, kind: str, one: int, other: int) -> tuple[str, str]:
    """Draw the two cells of a game or a forfeit."""
    if draw(st.integers(0, 5)) == 0:
        codes = draw(st.sampled_from(FORFEITS))
        opponents = draw(st.sampled_from([(other, one), (0, 0)]))
        return f"{codes[0]}{opponents[0]}", f"{codes[1]}{opponents[1]}"
    codes = draw(st.sampled_from(DOUBLE if kind == "2" else SINGLE))
    ours, theirs = draw(st.sampled_from(COLORS))
    if codes == "WW" and "" in (ours, theirs):
        ours = theirs = ""  # both cells or neither say who won which game of a split
    return f"{codes[0]}{other}{ours}", f"{codes[1]}{one}{theirs}"


@st.composite
def rows_by_rounds(draw: st.DrawFn, kind: str, players: int) -> list[list[str]]:
    rounds = draw(st.integers(1, 5))
    rows = [["U0"] * rounds for _ in range(players)]
    for number in range(rounds):
        seats = draw(st.permutations(range(1, players + 1)))
        boards = draw(st.integers(1 if number == 0 else 0, players // 2))
        for one, other in zip(seats[: 2 * boards : 2], seats[1::2], strict=False):
            cells = draw_pairing(draw, kind, one, other)
            rows[one - 1][number], rows[other - 1][number] = cells
        for idle in seats[2 * boards :]:
            rows[idle - 1][number] = draw(st.sampled_from(["B0", "H0", "U0"]))
    return rows


@st.composite
def rows_by_opponents(draw: st.DrawFn, players: int) -> list[list[str]]:
    rows = [["U0"] * players for _ in range(players)]
    for one in range(1, players + 1):
        for other in range(one + 1, players + 1):
            cells = draw_pairing(draw, "R", one, other)
            rows[one - 1][other - 1], rows[other - 1][one - 1] = cells
    return rows


@st.composite
def sections(draw: st.DrawFn, number: int, pool: list) -> ReportedSection:
    kind = draw(st.sampled_from(["S", "2", "R", "D", "M", "by opponents"]))
    count = 2 if kind == "M" else draw(st.integers(3, 6))
    members = draw(st.permutations(pool))[:count]
    if kind != "M" and draw(st.integers(0, 3)) == 0:
        members = [*members[:-1], members[0]]  # a re-entry
    if kind == "by opponents":
        kind, rows = "R", draw(rows_by_opponents(count))
    else:
        rows = draw(rows_by_rounds(kind, count))
    return section_report(
        members,
        [" ".join(row) for row in rows],
        number=number,
        kind_letter=kind,
        starts=draw(st.sampled_from([None, date(2024, 5, 5)])),
        chief_td_id=draw(st.sampled_from(["", pool[0].member_id])),
        scholastic_level=draw(st.sampled_from(["", "N", "S"])),
        grand_prix=draw(st.booleans()),
        grand_prix_points=draw(st.sampled_from([None, 15])),
        fide=draw(st.booleans()),
        online=draw(st.booleans()),
    )


@pytest.mark.gate
def test_exported_files_give_the_same_event():
    td, staff = make_td(), make_staff()
    pool = [td.player] + [make_player(given_name=f"Given{n}") for n in range(5)]

    @settings(max_examples=example_count(60), deadline=None)
    @given(st.data())
    def check(data):
        numbers = range(1, data.draw(st.integers(1, 2)) + 1)
        report = event_report(td, [data.draw(sections(n, pool)) for n in numbers])
        try:
            first, exported = accepted_and_exported(td, staff, zip_report(report))
        except NotPossible:
            reject()  # about one in sixty: nothing but forfeits is an error
        second, exported_again = accepted_and_exported(td, staff, exported)
        assert second == first
        assert exported_again == exported

    check()


def rows_of(section: ReportedSection) -> list[str]:
    return [
        " ".join(format_cell(cell) for cell in entry.cells) for entry in section.entries
    ]


def exported(kind_letter: str, rows: list[str], **fields) -> ReportedSection:
    """Accept a section and return it as exported."""
    td = make_td()
    players = [make_player() for _ in rows]
    section = section_report(players, rows, kind_letter=kind_letter, **fields)
    report = event_report(td, [section])
    event = accept(td, make_staff(), zip_report(report))
    return event_as_reported(event).sections[0]


def test_swiss_keeps_games_byes_and_forfeits():
    rows = ["W2W X4 H0", "L1B D3W B0", "U0 D2B L4W", "B0 F1 W3B"]
    assert rows_of(exported("S", rows)) == rows


def test_double_games_keep_their_codes():
    rows = ["$2W #3B", "L1B %4W", "W4W D1W", "W3B %2B"]
    section = exported("2", rows)
    assert (section.kind_letter, rows_of(section)) == ("2", rows)


def test_games_scored_for_one_side_keep_both_results():
    td, staff = make_td(), make_staff()
    section = section_report([make_player(), make_player()], ["N2W R2W", "R1B S1B"])
    event = accept(td, staff, zip_report(event_report(td, [section])))
    assert rows_of(event_as_reported(event).sections[0]) == ["N2W R2W", "R1B S1B"]


def test_round_robin_told_by_opponents_is_exported_by_rounds():
    section = exported("R", ["U0 W2W D3B", "L1B U0 W3W", "D1W L2B U0"])
    assert section.has_opponent_columns is False
    assert rows_of(section) == ["W2W D3B U0", "L1B U0 W3W", "U0 D1W L2B"]


def test_forfeits_told_by_one_side_do_not_turn_a_round_robin_round():
    """Two of its three cells have the round's number as opponent by chance."""
    td = make_td()
    players = [make_player() for _ in range(3)]
    rows = ["W2W U0 U0", "L1B U0 X3", "U0 U0 F0"]
    report = event_report(td, [section_report(players, rows)])
    event = accept(td, make_staff(), zip_report(report))
    Section.objects.filter(event=event).update(kind=Section.Kind.ROUND_ROBIN)
    section = event_as_reported(event).sections[0]
    assert section.has_opponent_columns is False
    assert rows_of(section) == ["W2W U0 U0", "L1B U0 X0", "U0 U0 F0"]


def test_section_of_unknown_type_is_exported_without_a_type():
    td = make_td()
    section = section_report([make_player(), make_player()], ["W2W", "L1B"])
    event = accepted_event(td, event_report(td, [section]))
    Section.objects.filter(event=event).update(kind=Section.Kind.OTHER)
    assert event_as_reported(event).sections[0].kind_letter == ""


def test_export_of_a_faultless_event_has_no_error():
    td = make_td()
    players = [make_player() for _ in range(4)]
    rows = ["W2W U0", "L1B W3W", "D4W L2B", "D3B H0"]
    event = accepted_event(td, event_report(td, [section_report(players, rows)]))
    result = read_report([("report.zip", export_event(event))])
    assert isinstance(result.reported, ReportedEvent)
    assert result.reported == event_as_reported(event)
    errors = [
        finding.message
        for finding in [*result.findings, *check_report(result.reported)]
        if finding.severity == Severity.ERROR
    ]
    assert errors == []


@pytest.mark.parametrize("players", [2, 20])
def test_export_takes_the_same_queries_for_any_size(django_assert_num_queries, players):
    td = make_td()
    members = [make_player() for _ in range(players)]
    rows = [f"W{n + 1}W" if n % 2 else f"L{n - 1}B" for n in range(1, players + 1)]
    report = event_report(td, [section_report(members, rows)])
    accepted_event(td, report)
    event = Event.objects.select_related("affiliate").get()
    with django_assert_num_queries(6):
        export_event(event)
