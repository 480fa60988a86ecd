from datetime import date

import pytest
from django.utils import translation

from events.models.documents import (
    COLOR_WORDS,
    ENTRY_FIELDS,
    KIND_WORDS,
    OUTCOME_WORDS,
    ROLE_WORDS,
    TRANSLATIONS,
    UNPLAYED_WORDS,
    Difference,
    EntryLine,
    GameLine,
    OfficialLine,
    SectionDocument,
    UnplayedLine,
    diff,
)
from tests.events.corrections.samples import document


def sentences(old: SectionDocument, new: SectionDocument) -> list[str]:
    return [difference.sentence for difference in diff(old, new)]


def test_document_comes_back_from_its_text():
    before = document(name="Ångström “Open”")
    assert SectionDocument.from_text(before.to_text()) == before


def test_equal_sections_have_equal_texts_whatever_the_order_of_rows():
    one = document()
    other = document().changed(games=reversed(one.games), entries=reversed(one.entries))
    assert (other.to_text(), other.digest) == (one.to_text(), one.digest)
    assert document(rounds=4).digest != one.digest


def test_nothing_differs_between_a_document_and_itself():
    assert diff(document(), document()) == []


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"name": "U1800"}, ["Section: name “Open”, now “U1800”."]),
        (
            {"event_name": "June Open", "city": "Peoria", "state": ""},
            [
                "Event: name “May Open”, now “June Open”.",
                "Event: city Springfield, now Peoria.",
                "Event: state IL, now nothing.",
            ],
        ),
        ({"kind": "match"}, ["Section: type Swiss, now match."]),
        (
            {"starts": date(2024, 5, 3), "ends": date(2024, 5, 6)},
            [
                "Section: first day May 4, 2024, now May 3, 2024.",
                "Section: last day May 5, 2024, now May 6, 2024.",
            ],
        ),
        (
            {"time_control": "G/25;d5", "is_online": True},
            [
                "Section: time control G/90;d5, now G/25;d5.",
                "Section: played over the board, now online.",
            ],
        ),
        (
            {"officials": (OfficialLine("event", "chief", "12000009"),)},
            ["Event: chief TD 12000001, now 12000009."],
        ),
        (
            {
                "officials": (
                    OfficialLine("event", "chief", "12000001"),
                    OfficialLine("section", "chief", "12000009"),
                )
            },
            ["Section: chief TD none, now 12000009."],
        ),
    ],
)
def test_fields_differ_in_words(changes, said):
    assert sentences(document(), document(**changes)) == said


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"kind": "match"}, "Sección: tipo suizo, ahora match."),
        (
            {"starts": date(2024, 5, 3)},
            "Sección: primer día 4 may 2024, ahora 3 may 2024.",
        ),
        (
            {"officials": (OfficialLine("event", "chief", "12000009"),)},
            "Torneo: TD principal 12000001, ahora 12000009.",
        ),
        # A town's name is not translated, even if it is a word of these sentences.
        ({"city": "Lost"}, "Torneo: ciudad Springfield, ahora Lost."),
        (
            {"entries": (*document().entries, EntryLine(5, "30000007", 7, "LOST AND"))},
            "Número de emparejamiento 5: ninguno, ahora LOST AND (30000007).",
        ),
    ],
)
def test_fields_are_stored_in_english_and_read_in_spanish(changes, said):
    with translation.override("es"):
        stored = [line.to_json() for line in diff(document(), document(**changes))]
        assert [Difference(*line).sentence for line in stored] == [said]
    assert stored == [line.to_json() for line in diff(document(), document(**changes))]


def test_every_word_that_is_stored_has_a_translation():
    words = (
        *(KIND_WORDS, ROLE_WORDS, ENTRY_FIELDS),
        *(OUTCOME_WORDS, COLOR_WORDS, UNPLAYED_WORDS),
    )
    assert {word for each in words for word in each.values()} <= TRANSLATIONS.keys()


def test_results_are_stored_in_english_and_read_in_spanish():
    before = document(games=(GameLine(3, 1, 4, 7, "W", "L", "W"),), unplayed=())
    after = document(games=(GameLine(3, 1, 4, 7, "B", "W", "D"),), unplayed=())
    with translation.override("es"):
        assert sentences(before, after) == [
            "Ronda 3, número de emparejamiento 4: perdió contra 7 con blancas, ahora "
            "ganó contra 7 con negras (para quien cuenta como tablas)."
        ]


def test_version_that_does_not_name_the_event_says_nothing_of_it():
    text = document().to_text()
    for said in (',"city":"Springfield"', ',"event_name":"May Open"', ',"state":"IL"'):
        text = text.replace(said, "").replace(said[1:] + ",", "")
    early = SectionDocument.from_text(text)
    assert (early.event_name, early.city, early.state) == ("", "", "")
    assert diff(early, document()) == []


def test_player_who_was_missing_is_told():
    entry = EntryLine(5, "30000007", 7, "SEVEN")
    assert sentences(document(), document(entries=(*document().entries, entry))) == [
        "Pairing number 5: none, now SEVEN (30000007)."
    ]


def test_member_id_differs_in_words():
    entries = list(document().entries)
    entries[3] = entries[3]._replace(member_id="30000001", player=1)
    assert sentences(document(), document(entries=tuple(entries))) == [
        "Pairing number 4: member ID 20000004, now 30000001."
    ]


def with_games(*games: GameLine, unplayed: tuple = ()) -> SectionDocument:
    return document(games=games, unplayed=unplayed)


def test_a_changed_result_is_told_once_from_the_lower_number():
    before = with_games(GameLine(3, 1, 4, 7, "W", "L", "W"))
    after = with_games(GameLine(3, 1, 4, 7, "W", "D", "D"))
    assert sentences(before, after) == [
        "Round 3, pairing number 4: lost against 7, now drawn against 7."
    ]


def test_a_changed_color_is_said():
    before = with_games(GameLine(3, 1, 4, 7, "W", "L", "W"))
    after = with_games(GameLine(3, 1, 4, 7, "B", "L", "W"))
    assert sentences(before, after) == [
        "Round 3, pairing number 4: lost against 7 with White, now lost against 7 with "
        "Black."
    ]


def test_exchanged_opponents_are_told_from_all_four_sides():
    before = with_games(
        GameLine(1, 1, 1, 3, "", "W", "L"), GameLine(1, 1, 2, 4, "", "D", "D")
    )
    after = with_games(
        GameLine(1, 1, 1, 4, "", "W", "L"), GameLine(1, 1, 2, 3, "", "D", "D")
    )
    assert sentences(before, after) == [
        "Round 1, pairing number 1: won against 3, now won against 4.",
        "Round 1, pairing number 2: drawn against 4, now drawn against 3.",
        "Round 1, pairing number 3: lost against 1, now drawn against 2.",
        "Round 1, pairing number 4: drawn against 2, now lost against 1.",
    ]


def test_a_game_that_becomes_a_forfeit_or_bye_is_told():
    before = with_games(
        GameLine(1, 1, 1, 2, "W", "W", "L"), GameLine(2, 1, 1, 2, "W", "W", "L")
    )
    after = with_games(
        unplayed=(
            UnplayedLine(1, 1, "X", 2),
            UnplayedLine(2, 1, "F", 1),
            UnplayedLine(1, 2, "H", None),
        )
    )
    assert sentences(before, after) == [
        "Round 1, pairing number 1: won against 2, now won by forfeit against 2.",
        "Round 2, pairing number 1: won against 2, now half-point bye.",
        "Round 2, pairing number 2: lost against 1, now no game.",
    ]


def test_a_result_for_one_side_and_two_games_of_a_round_are_told():
    before = with_games(GameLine(1, 1, 1, 2, "", "W", "L"))
    after = with_games(GameLine(1, 1, 1, 2, "", "W", "D"))
    assert sentences(before, after) == [
        "Round 1, pairing number 1: won against 2, now won against 2 (for whom it "
        "counts as drawn)."
    ]
    after = with_games(
        GameLine(1, 1, 1, 2, "W", "W", "L"), GameLine(1, 2, 1, 2, "B", "D", "D")
    )
    assert sentences(with_games(GameLine(1, 1, 1, 2, "W", "W", "L")), after) == [
        "Round 1, pairing number 1: won against 2, now won and drawn against 2."
    ]
