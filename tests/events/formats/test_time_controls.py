"""Time controls in every spelling, through the reader and the engine."""

from datetime import date
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from events.formats.report_reader import read_report
from events.formats.time_controls import normalize_time_control, read_time_control
from ratings.engine.systems import System
from ratings.engine.time_controls import parse_time_control, systems_for

CASES = Path(__file__).resolve().parents[2] / "data/field-cases"
DAY = date(2026, 11, 21)

# Each spelling with "{m}" for minutes and "{s}" for seconds of increment or delay.
ONE_CONTROL = [
    "G/{m};+{s}", "G/{m} d{s}", "G{m} d{s}", "g/{m};d{s}", "G/{m}, INC-{s}",
    "G/({m}+{s})", "G/{m} T/D {s}", "G/{m} TD/{s}", "G/{m} (d{s})",
    "G/{m} {s} sec delay", "G/{m} +{s} sec", "G/{m} i{s}", "G/{m} + {s} inc",
    "G/{m} inc {s}", "G/{m} inc/{s}", "G/{m} increment {s} seconds", "G/{m};+{s}",
    "Game/{m} d/{s}", "Game in {m}, {s} second delay", "{m} min + {s} sec",
    "{m} min + {s} sec/move", "{m} minutes plus {s} seconds per move", "{m}'+{s}\"",
    "{m}’ + {s}”", "{m}'+{s}''", "{m}'+{s}\"/move", "{m}m+{s}s", "{m}+{s}", "{m}|{s}",
    "{m} min, {s} sec delay", "{m};d{s}", "{m} minutos + {s} segundos",
    "{m} Minuten + {s} Sekunden", "All moves in {m} minutes, plus {s} seconds per move",
    "{m} min + {s} sec per move from move 1", "SD/{m};d{s}", "{m} + {s} delay",
    "5 rounds, G/{m};d{s}", "{m} min + {s} sec, 7 rounds", "G/{m} delay: {s}",
]  # fmt: skip
WITHOUT_SECONDS = [
    "G/{m}", "G {m}", "G/{m};d0", "{m} min", "{m} minutes", "{m}'", "{m} min, 7 rounds",
    "7 rounds, {m} min", "{m} minutes for 10 players", "G/{m}, no delay",
    "Game in {m} minutes", "{m} Minuten", "G/{m} min. (6 round Swiss)",
]  # fmt: skip
IN_HOURS = [
    "{h}h{r:02}+{s}", "{h}:{r:02} + {s} from move 1", "{h} hr {r} min + {s} sec",
    "{h} hours {r} minutes, {s} sec delay", "{h} h {r} min; d{s}",
]  # fmt: skip
IN_SECONDS = ["{n}s+{s}s", "{n} sec + {s} sec", "{n} seconds d{s}"]
TWO_CONTROLS = [
    "40/{m},SD/{m2};d{s}", "40/{m} SD/{m2}; i{s}", "40/{m}, SD{m2} +{s}",
    "{m}min/40moves+{m2}min+{s}sec", "40 moves in {m} min, then {m2} min; d{s}",
    "{m} minutes for 40 moves + {m2} minutes + {s} seconds per move from move one",
    "90 min for the first 40 moves followed by {m2} min for the rest of the game "
    "with an addition of {s} seconds per move starting from move one",
    "40/{m}, SD/{m2}, INC-{s}", "40/{m}; Game in {m2}; T/D {s}",
]  # fmt: skip


def _spellings():
    """Yield texts with minutes and seconds of the whole game."""
    for (m, s), text in product(
        product((5, 10, 15, 20, 25, 30, 45, 60, 61, 90, 120), (2, 3, 5, 10, 30)),
        ONE_CONTROL,
    ):
        yield text.format(m=m, s=s), m, s
    for m, text in product((5, 10, 11, 29, 30, 45, 65, 66, 90), WITHOUT_SECONDS):
        yield text.format(m=m), m, 0
    for (h, r), s, text in product([(1, 0), (1, 30), (2, 5)], (5, 30), IN_HOURS):
        yield text.format(h=h, r=r, s=s), h * 60 + r, s
    for m, s, text in product((5, 10, 15, 60, 90), (2, 5, 10), IN_SECONDS):
        yield text.format(n=m * 60, s=s), m, s
    for m, m2, s, text in product((90, 120), (30, 60), (5, 30), TWO_CONTROLS):
        yield text.format(m=m, m2=m2, s=s), (90 if "90 min for" in text else m) + m2, s


def _expected_systems(total: int) -> set[System]:
    """Return the over-the-board systems, by footnote 1 of the paper."""
    if total > 65:
        return {System.OTBR}
    if total >= 30:
        return {System.OTBR, System.OTBQ}
    return {System.OTBQ} if total > 10 else {System.OTBB}


def test_a_thousand_spellings_have_their_minutes_seconds_and_system():
    spellings = list(_spellings())
    assert len({text for text, _, _ in spellings}) >= 1000
    wrong = []
    for text, minutes, seconds in spellings:
        if not (written := read_time_control(text).control):
            wrong.append((text, "not read"))
            continue
        control = parse_time_control(written)
        systems = set(systems_for(control, online=False, day=DAY))
        if (control.main_minutes, control.seconds) != (minutes, seconds) or (
            systems != _expected_systems(minutes + seconds)
        ):
            wrong.append((text, written))
    assert wrong == []


def test_a_delay_stays_a_delay_and_an_increment_an_increment():
    delays = [text for text in ONE_CONTROL if "inc" not in text.lower()]
    delays = [
        text for text in delays if "elay" in text or "d{s}" in text or "T" in text
    ]
    for text in delays:
        if "+ {s} sec" not in text:
            assert read_time_control(text.format(m=60, s=5)).control == "G/60;d5", text
    for text in ("G/60 i5", "G/60, INC-5", "60'+5\"", "G/60 +5 sec", "60|5"):
        assert read_time_control(text).control == "G/60;+5", text


@pytest.mark.parametrize(
    ("text", "control"),
    [
        ("30/90, SD/1; d5", "30/90,SD/60;d5"),
        ("40/2, SD/1", "40/120,SD/60;d0"),
        ("SD/1", "G/60;d0"),
        ("SD/2 d5", "G/120;d5"),
        ("SD/5", "G/5;d0"),
        ("G/1", "G/1;d0"),
        ("4-SS, G/90 d5", "G/90;d5"),
        ("5SS, 45 min", "G/45;d0"),
        ("40/2, SD/30, d5", "40/120,SD/30;d5"),
        ("40/120 SD/2 +30", "40/120,SD/120;+30"),
        ("1.5 hours", "G/90;d0"),
        ("2 hours d5", "G/120;d5"),
        ("1,5 h + 30", "G/90;+30"),
        ("90:00 + 30", "G/90;+30"),
        ("5400+30", "G/90;+30"),
        ("900+10", "G/15;+10"),
        ("180+2", "G/3;+2"),
        ("300d3", "G/5;d3"),
        ("40/7200+30:1800+30", "40/120,SD/30;+30"),
        ("G/1;+0", "G/1;d0"),
        ("3+2", "G/3;+2"),
        ("G/60;+5 delay", "G/60;d5"),
        ("G/60;+0;d5", "G/60;d5"),
        ("G/60 inc/30 d/0", "G/60;+30"),
    ],
)
def test_units_follow_from_tag_and_size(text, control):
    assert read_time_control(text).control == control


@pytest.mark.parametrize(
    ("text", "candidates"),
    [
        ("180+30", ("G/3;+30", "G/180;+30")),
        ("240 d5", ("G/4;d5", "G/240;d5")),
        ("200+5", ("G/200;+5",)),
        ("40/5, SD/1", ("40/5,SD/1;d0", "40/5,SD/60;d0")),
        ("5:00 + 3", ("G/5;+3", "G/300;+3")),
    ],
)
def test_ambiguous_time_controls_are_not_read(text, candidates):
    assert read_time_control(text).control == ""
    assert read_time_control(text).candidates == candidates
    assert normalize_time_control(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "", "7 rounds", "10 players", "2 x 45 min", "3 days per move", "90", "fast",
        "G/60 or G/90", "Round 1 G/60, round 2 G/90", "G/60 d5 inc 10", "G/60, G/90",
        "G/60;+5;d5", "G/60;d5;+5",
        "40 Zuege in 90 Minuten", "90 min + 30 sec from move 41", "30-45 min",
        "9:00, 1:30, 5:00", "G/60; d5; d10", "90 sec + 1", "½ hour", "inc/30",
        "G/60 " * 50, "G/99999999999", "2026-11-21", "40/90", "G/90 17 Main St",
    ],
)  # fmt: skip
def test_other_texts_are_unchanged(text):
    assert read_time_control(text).control == ""
    assert normalize_time_control(text) == text


@pytest.mark.parametrize(
    ("name", "control"),
    [
        ("08-pgn-delay-in-seconds.pgn", "G/10;d5"),
        ("09-trf-seconds.trf", "G/15;+10"),
        ("10-trf-number-beside-minutes.trf", "G/25;d0"),
        ("12-trf-hours.trf", "30/90,SD/60;d5"),
    ],
)
def test_files_from_the_field(name, control):
    result = read_report([(name, (CASES / name).read_bytes())])
    assert [section.time_control for section in result.reported.sections] == [control]
    codes = {finding.code for finding in result.findings}
    assert codes & {"pgn.time_control", "trf.time_control", "time_control.spelling"}


FROM_DIRECTORS = {
    "G/60, INC-30": "G/60;+30",
    "G/(90+30)": "G/90;+30",
    "G/60 T/D 5": "G/60;d5",
    "G/60 TD/5": "G/60;d5",
    "G/60 (d5)": "G/60;d5",
    "G/60 5 sec delay": "G/60;d5",
    "G/90 +30 sec": "G/90;+30",
    "G/90 i30": "G/90;+30",
    "G/90 + 30 inc": "G/90;+30",
    "1:30 + 10 from move 1": "G/90;+10",
    "All moves in 90 minutes, plus 10 seconds per move": "G/90;+10",
    "90'+30\"/move": "G/90;+30",
    "90min/40moves+30min+30sec": "40/90,SD/30;+30",
}


def test_spellings_of_directors():
    lines = (CASES / "11-time-controls-refused.txt").read_text().splitlines()
    assert {line: normalize_time_control(line) for line in lines} == FROM_DIRECTORS


def test_readers_without_a_grammar_of_their_own_use_the_same_one():
    table = (
        "Event,Maple Open\nTime control,G/60 T/D 5\n\n"
        "Number,Name,Round 1\n1,Ash Ann,W2\n2,Birch Bob,L1\n"
    )
    result = read_report([("maple.csv", table.encode())])
    assert result.reported.sections[0].time_control == "G/60;d5"
    assert "time_control.spelling" in {finding.code for finding in result.findings}


PIECES = [
    "G/", "SD/", "40/", "90", "30", "5", "1", "600", " ", "+", "d", "inc", "i", "min",
    "sec", "h", ":", "/", "'", '"', ",", ";", "moves", "rounds", "in", "delay", "T/D",
    "(", ")", "per move", "from move 1", "0", "x", "é", "٣",
]  # fmt: skip


@given(st.lists(st.sampled_from(PIECES), max_size=14).map("".join))
def test_any_mixture_is_left_alone_or_means_one_thing(text):
    reading = read_time_control(text)
    written = normalize_time_control(text)
    assert not (reading.control and reading.candidates)
    assert normalize_time_control(written) == written
    if reading.control:
        assert parse_time_control(reading.control).text == reading.control
        assert read_time_control(reading.control).control == reading.control
    else:
        assert written == text
