from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ratings.engine.systems import System
from ratings.engine.time_controls import (
    BadTimeControl,
    Control,
    NotRatable,
    TimeControl,
    is_dual,
    parse_time_control,
    systems_for,
)
from tests.hypothesis_settings import example_count

DAY = date(2024, 5, 4)
R, Q, B = System.OTBR, System.OTBQ, System.OTBB
OR, OQ, OB = System.OLR, System.OLQ, System.OLB


@pytest.mark.parametrize(
    ("written", "canonical"),
    [
        ("G/60;d5", "G/60;d5"),
        ("G/60 d5", "G/60;d5"),
        ("G60; d5", "G/60;d5"),
        ("g60d5", "G/60;d5"),
        (" G / 60 ; d 5 ", "G/60;d5"),
        ("G/60, delay 5", "G/60;d5"),
        ("G/60;d05", "G/60;d5"),
        ("G/90+30", "G/90;+30"),
        ("G/90;+30", "G/90;+30"),
        ("G/90 + 30", "G/90;+30"),
        ("90+30", "G/90;+30"),
        ("G/60;inc5", "G/60;+5"),
        ("G/60 increment 5", "G/60;+5"),
        ("40/90,SD/30;+30", "40/90,SD/30;+30"),
        ("40/90, SD/30, d10", "40/90,SD/30;d10"),
        ("40/90 sd30 d10", "40/90,SD/30;d10"),
        ("40/90;d5,SD/30;d5", "40/90,SD/30;d5"),
        ("40/90,G/30;+30", "40/90,SD/30;+30"),
        ("40/90,20/60,SD/30;d5", "40/90,20/60,SD/30;d5"),
        ("SD/60", "G/60;d0"),
        ("G/5d0", "G/5;d0"),
        ("G/3+2", "G/3;+2"),
        ("G/7d3", "G/7;d3"),
        ("G/20+5", "G/20;+5"),
        ("G/26d3", "G/26;d3"),
        ("Game/60", "G/60;d0"),
        ("GAME IN 60", "G/60;d0"),
        ("G/60", "G/60;d0"),
        ("G/60;d0", "G/60;d0"),
        ("G/60;+0", "G/60;d0"),
        ("G/90;;+30;", "G/90;+30"),
    ],
)
def test_spellings_of_directors_become_one_spelling(written, canonical):
    assert parse_time_control(written).text == canonical


def test_a_time_control_knows_its_parts():
    control = parse_time_control("40/90, SD/30, d10")
    assert control == TimeControl((Control(40, 90), Control(None, 30)), 10, False)
    assert (control.main_minutes, control.first_main_minutes) == (120, 90)
    assert (control.seconds, control.total) == (10, 130)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "The time control is missing."),
        (" ;, ", "The time control is missing."),
        ("nonsense", "could not read the time control “nonsense” from “nonsense” on."),
        ("G/60;x5", "could not read the time control “G/60;x5” from “x5” on."),
        ("G/1.5", "could not read the time control “G/1.5” from “.5” on."),
        ("G/-60", "could not read the time control “G/-60” from “G/-60” on."),
        ("G/٦٠", "could not read the time control “G/٦٠” from “G/٦٠” on."),
        ("d5", "has no main time."),
        ("40/90", "has no time after the last move count."),
        ("G/30,G/60", "has more than one time for the whole game."),
        ("SD/30,40/90", "has no time after the last move count."),
        ("SD/30,40/90,SD/30", "has more than one time for the whole game."),
        ("G/60;d5;+30", "has more than one delay or increment."),
        ("G/60;d5;d10", "has more than one delay or increment."),
        ("G/1001", "the number 1001. Enter a number from 0 to 1000 there."),
        ("G/60;d601", "the number 601. Enter a number from 0 to 600 there."),
        ("201/90,SD/30", "the number 201. Enter a number from 1 to 200 there."),
        ("0/90,SD/30", "the number 0. Enter a number from 1 to 200 there."),
        ("9/9," * 6 + "SD/9", "has 7 parts; the limit is 6."),
        ("9" * 101, "has 101 characters; the limit is 100."),
    ],
)
def test_nonsense_is_refused_with_a_sentence(text, sentence):
    with pytest.raises(BadTimeControl) as error:
        parse_time_control(text)
    starts = ("The time control", "We could not read the time control")
    assert str(error.value).startswith(starts)
    assert sentence in str(error.value)


def read_or_refuse(text: str) -> None:
    try:
        control = parse_time_control(text)
    except BadTimeControl as error:
        assert str(error).endswith(".")  # noqa: PT017
        return
    assert parse_time_control(control.text) == control
    for online in (False, True):
        try:
            assert systems_for(control, online=online, day=DAY) != ()
        except NotRatable as error:
            assert str(error).endswith((".", ";"))  # noqa: PT017


@settings(max_examples=example_count(300))
@given(st.text(max_size=120))
def test_no_text_at_all_can_break_the_reader(text):
    read_or_refuse(text)


@settings(max_examples=example_count(500))
@given(st.text(alphabet="gGsSdDinc0123456789/+;:, .'\n", max_size=30))
def test_no_near_miss_can_break_the_reader(text):
    read_or_refuse(text)


@given(
    st.lists(st.builds(Control, st.integers(1, 200), st.integers(0, 1000)), max_size=5),
    st.integers(0, 1000),
    st.integers(0, 600),
    st.booleans(),
)
def test_the_stored_spelling_is_read_back(first, last, seconds, is_increment):
    control = TimeControl(
        (*first, Control(None, last)), seconds, is_increment and seconds > 0
    )
    assert parse_time_control(control.text) == control


@pytest.mark.parametrize(
    ("text", "over_the_board", "online"),
    [
        ("G/5;d0", (B,), (OB,)),
        ("G/3+2", (B,), (OB,)),
        ("G/10", (B,), (OB,)),
        ("G/7;d3", (B,), (OB,)),
        ("G/10;d1", (Q,), (OQ,)),
        ("G/20+5", (Q,), (OQ,)),
        ("G/29", (Q,), (OQ,)),
        ("G/30", (R, Q), (OR,)),
        ("G/25;d5", (R, Q), (OR,)),
        ("G/60;d5", (R, Q), (OR,)),
        ("G/65", (R, Q), (OR,)),
        ("G/61;d5", (R,), (OR,)),
        ("G/90;+30", (R,), (OR,)),
        ("40/90,SD/30;d5", (R,), (OR,)),
    ],
)
def test_systems_of_time_controls_today(text, over_the_board, online):
    control = parse_time_control(text)
    assert systems_for(control, online=False, day=DAY) == over_the_board
    assert systems_for(control, online=True, day=DAY) == online
    assert is_dual(control, DAY) == (len(over_the_board) == 2)


@pytest.mark.parametrize("online", [False, True])
@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("G/4;d0", "G/4;d0 is too fast to be rated"),
        ("G/3+1", "G/3;+1 is too fast to be rated"),
        ("G/2+3", "The first control needs at least 3 minutes; it has 2"),
        ("G/0+10", "The first control needs at least 3 minutes; it has 0"),
        ("G/4+20", "The first control needs at least 5 minutes; it has 4"),
        ("10/4,SD/60", "The first control needs at least 5 minutes; it has 4"),
    ],
)
def test_time_controls_that_are_not_rated(text, sentence, online):
    with pytest.raises(NotRatable) as error:
        systems_for(parse_time_control(text), online=online, day=DAY)
    assert sentence in str(error.value)
    assert not is_dual(parse_time_control(text), DAY)


@pytest.mark.parametrize(
    ("text", "online", "day", "systems"),
    [
        ("G/30", False, date(2000, 12, 31), None),
        ("G/30", False, date(2001, 1, 1), (R,)),
        ("G/10", False, date(2001, 1, 1), (Q,)),
        ("G/9", False, date(2003, 12, 31), None),
        ("G/60", False, date(2001, 12, 31), (R,)),
        ("G/60", False, date(2002, 1, 1), (R, Q)),
        ("G/5", False, date(2003, 12, 31), None),
        ("G/5", False, date(2004, 1, 1), (Q,)),
        ("G/10", False, date(2013, 2, 28), (Q,)),
        ("G/10", False, date(2013, 3, 1), (B,)),
        ("G/60;d5", False, date(2013, 2, 28), (R,)),
        ("G/60;d5", False, date(2013, 3, 1), (R, Q)),
        ("G/5", True, date(2014, 9, 30), None),
        ("G/5", True, date(2014, 10, 1), (OB,)),
        ("G/20", True, date(2015, 2, 28), None),
        ("G/20", True, date(2015, 3, 1), (OQ,)),
        ("G/60", True, date(2020, 5, 31), None),
        ("G/60", True, date(2020, 6, 1), (OR,)),
    ],
)
def test_ranges_follow_the_start_date(text, online, day, systems):
    control = parse_time_control(text)
    if systems is None:
        with pytest.raises(NotRatable):
            systems_for(control, online=online, day=day)
    else:
        assert systems_for(control, online=online, day=day) == systems


def test_slow_games_before_their_system_get_their_own_sentence():
    with pytest.raises(NotRatable) as error:
        systems_for(parse_time_control("G/60"), online=True, day=date(2019, 4, 1))
    assert str(error.value) == (
        "G/60;d0 cannot be rated for a section that starts on April 1, 2019. Its "
        "minutes and seconds add up to 60, and the rating system for such games "
        "began later."
    )


def test_seconds_of_a_time_control_are_a_delay_unless_it_says_otherwise():
    hour = (Control(None, 60),)
    assert TimeControl(hour).text == "G/60;d0"
    assert TimeControl(hour, 5).text == "G/60;d5"
    assert TimeControl(hour, 5, is_increment=True).text == "G/60;+5"
