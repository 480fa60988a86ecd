from datetime import date

import pytest

from events.corrections.changes import InvalidChange
from events.models.documents import EntryLine, GameLine, OfficialLine, UnplayedLine
from tests.events.corrections.samples import apply_change, cell, document, result


def games_after(*cells, **before) -> tuple[GameLine, ...]:
    return apply_change("result", result(*cells), document(**before)).games


def test_a_result_is_changed_for_both_sides():
    assert games_after(cell(2, 1, "W", 1, color="B")) == (
        GameLine(1, 1, 1, 2, "W", "L", "W"),
        GameLine(1, 1, 3, 4, "B", "W", "L"),
        GameLine(2, 1, 1, 3, "", "L", "W"),
    )


def test_a_game_can_count_differently_for_the_two_sides():
    assert games_after(cell(2, 1, "W", 1, theirs="D"))[0] == GameLine(
        1, 1, 1, 2, "", "D", "W"
    )


def test_a_game_is_added_in_place_of_a_bye():
    after = apply_change("result", result(cell(2, 2, "D", 4)), document())
    assert after.games[-1] == GameLine(2, 1, 2, 4, "", "D", "D")
    assert after.unplayed == ()


def test_a_game_is_added_with_the_round_that_was_forgotten():
    after = apply_change("result", result(cell(1, 4, "W", 3, color="B")), document())
    assert after.rounds == 4
    assert after.games == (*document().games, GameLine(4, 1, 1, 3, "B", "W", "L"))


def test_a_game_is_removed_from_both_sides():
    after = apply_change("result", result(cell(1, 1, "")), document())
    assert after.games == (
        GameLine(1, 1, 3, 4, "B", "W", "L"),
        GameLine(2, 1, 1, 3, "", "L", "W"),
    )


def test_a_game_becomes_a_forfeit_for_both_sides_and_back():
    after = apply_change("result", result(cell(2, 1, "X", 1)), document())
    assert after.unplayed == (
        UnplayedLine(1, 1, "F", 2),
        UnplayedLine(2, 1, "X", 1),
        UnplayedLine(4, 2, "H", None),
    )
    back = apply_change("result", result(cell(1, 1, "D", 2, color="W")), after)
    assert back == document()


def test_swapped_opponents_are_corrected_with_two_cells():
    assert games_after(cell(1, 1, "D", 4), cell(3, 1, "W", 2, color="B")) == (
        GameLine(1, 1, 1, 4, "", "D", "D"),
        GameLine(1, 1, 2, 3, "W", "L", "W"),
        GameLine(2, 1, 1, 3, "", "L", "W"),
    )


@pytest.mark.parametrize(
    ("code", "outcomes"),
    [("$", ("WL", "WL")), ("#", ("WL", "DD")), ("L", ("LW", "LW"))],
)
def test_one_cell_of_a_double_game_section_is_two_games(code, outcomes):
    before = document(
        kind="double_swiss",
        games=(
            GameLine(1, 1, 1, 2, "W", "D", "D"),
            GameLine(1, 2, 1, 2, "B", "D", "D"),
        ),
    )
    after = apply_change("result", result(cell(1, 1, code, 2, color="W")), before)
    assert after.games == (
        GameLine(1, 1, 1, 2, "W", *outcomes[0]),
        GameLine(1, 2, 1, 2, "B", *outcomes[1]),
    )


@pytest.mark.parametrize(
    ("cells", "sentence"),
    [
        ([cell(1, 1, "W", 1)], "A player can’t be their own opponent."),
        ([cell(1, 1, "W", 9)], "Pairing number 9 is not in this section."),
        ([cell(9, 1, "W", 1)], "Pairing number 9 is not in this section."),
        ([cell(1, 5, "W", 2)], "The section has no round 5."),
        ([cell(1, 4, "B")], "The section has no round 4."),
        ([cell(1, 4, "")], "The section has no round 4."),
        ([cell(1, 0, "W", 2)], "The section has no round 0."),
        ([cell(1, 1, "W")], "Enter the opponent’s pairing number."),
        (
            [cell(1, 1, "H", 2)],
            "This result has no opponent. Delete the pairing number.",
        ),
        (
            [cell(1, 1, "$", 2)],
            "“$” can’t be used in this type of section.",
        ),
        ([cell(1, 1, "I")], "“I” can’t be used in this type of section."),
        (
            [cell(1, 1, "W", 3)],
            (
                "In round 1, pairing number 3 has a game against 4. Under “Other "
                "player,” enter what 4 did in that round."
            ),
        ),
        (
            [cell(1, 1, "W", 3), cell(4, 1, "W", 3)],
            "This would give pairing number 3 two games in round 1.",
        ),
        (
            [cell(4, 2, "B", theirs="W")],
            "Only a single game can have a different result for each player.",
        ),
    ],
)
def test_impossible_results_are_refused(cells, sentence):
    with pytest.raises(InvalidChange) as refusal:
        games_after(*cells)
    assert str(refusal.value) == sentence


def test_a_member_id_is_changed_and_the_reported_name_stays():
    change = {"number": 4, "member_id": "30000007"}
    entry = apply_change("member_id", change, document()).entry(4)
    assert entry == document().entry(4)._replace(
        member_id="30000007", reported_member_id="30000007", player=7
    )


def test_missing_player_gets_the_next_pairing_number():
    change = {"member_id": "30000007", "name": "SEVEN"}
    after = apply_change("missing", change, document())
    assert after.entries == (
        *document().entries,
        EntryLine(5, "30000007", 7, "SEVEN", reported_member_id="30000007"),
    )
    assert (after.games, after.unplayed) == (document().games, document().unplayed)
    with_result = apply_change("result", result(cell(5, 2, "D", 4)), after)
    assert with_result.games[-1] == GameLine(2, 1, 4, 5, "", "D", "D")


def test_two_members_are_exchanged():
    after = apply_change("player", {"number": 1, "other": 4}, document())
    assert [(e.member_id, e.player, e.name) for e in after.entries] == [
        ("20000004", 104, "NAME 1"),
        ("20000002", 102, "NAME 2"),
        ("20000003", 103, "NAME 3"),
        ("20000001", 101, "NAME 4"),
    ]
    assert after.games == document().games


@pytest.mark.parametrize(
    ("kind", "change", "changes"),
    [
        (
            "dates",
            {"starts": "2024-05-01", "ends": "2024-05-02"},
            {"starts": date(2024, 5, 1), "ends": date(2024, 5, 2)},
        ),
        (
            "time_control",
            {"time_control": "G/25;d5", "is_online": True},
            {"time_control": "G/25;d5", "is_online": True},
        ),
        ("type", {"kind": "round_robin"}, {"kind": "round_robin"}),
        ("name", {"name": "U1800"}, {"name": "U1800"}),
        (
            "event",
            {"name": "June Open", "city": "Peoria", "state": "IL"},
            {"event_name": "June Open", "city": "Peoria"},
        ),
        (
            "official",
            {"scope": "event", "role": "chief", "old": "12000001", "new": "30000002"},
            {"officials": (OfficialLine("event", "chief", "30000002"),)},
        ),
        (
            "official",
            {"scope": "section", "role": "assistant", "old": "", "new": "30000002"},
            {
                "officials": (
                    OfficialLine("event", "chief", "12000001"),
                    OfficialLine("section", "assistant", "30000002"),
                )
            },
        ),
    ],
)
def test_the_section_itself_is_changed(kind, change, changes):
    assert apply_change(kind, change, document()) == document(**changes)


@pytest.mark.parametrize(
    ("kind", "change", "sentence"),
    [
        (
            "member_id",
            {"number": 4, "member_id": "29999999"},
            "No member has the ID 29999999.",
        ),
        (
            "member_id",
            {"number": 5, "member_id": "30000001"},
            "Pairing number 5 is not in this section.",
        ),
        (
            "missing",
            {"member_id": "29999999", "name": "NOBODY"},
            "No member has the ID 29999999.",
        ),
        (
            "player",
            {"number": 2, "other": 2},
            "Enter two different pairing numbers.",
        ),
        (
            "dates",
            {"starts": "2024-05-05", "ends": "2024-05-04"},
            "The section cannot end before it starts.",
        ),
        (
            "type",
            {"kind": "knockout"},
            ("This section type doesn’t exist. Choose one from the list."),
        ),
        (
            "official",
            {"scope": "event", "role": "chief", "old": "12000001", "new": ""},
            "Every event needs a chief TD. Enter the correct one.",
        ),
        (
            "official",
            {"scope": "event", "role": "chief", "old": "12000009", "new": "30000001"},
            "12000009 isn’t the chief TD of this section.",
        ),
        (
            "official",
            {"scope": "event", "role": "other", "old": "", "new": "29999999"},
            "No member has the ID 29999999.",
        ),
        (
            "other",
            {},
            (
                "This request describes the problem in words only. First change it to "
                "a specific correction: a result, member ID, date, time control, or "
                "official."
            ),
        ),
    ],
)
def test_impossible_changes_are_refused(kind, change, sentence):
    with pytest.raises(InvalidChange) as refusal:
        apply_change(kind, change, document())
    assert str(refusal.value) == sentence
