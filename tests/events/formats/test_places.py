"""Places as people and programs spell them."""

import json
from dataclasses import replace

import pytest

from events.formats.dbf.writer import write_report
from events.formats.json.writer import write_json
from events.formats.places import parse_place, with_parsed_place
from events.formats.report import ReportedEvent
from events.formats.report_reader import read_report
from players.formats.places import state_code
from tests.events.formats.pgn_samples import game
from tests.events.formats.test_chess_results import document
from tests.events.formats.test_swisssys import event

SPRINGFIELD = ("Springfield", "IL", "")


@pytest.mark.parametrize(
    ("text", "city", "state", "zip_code"),
    [
        # With a comma, brackets, a slash or a dash.
        ("Springfield, IL", *SPRINGFIELD),
        ("Springfield,IL", *SPRINGFIELD),
        ("Springfield , IL", *SPRINGFIELD),
        ("Springfield, IL.", *SPRINGFIELD),
        ("Springfield, il", *SPRINGFIELD),
        ("Springfield, Il", *SPRINGFIELD),
        ("  Springfield,  IL ", *SPRINGFIELD),
        ("Springfield; IL", *SPRINGFIELD),
        ("Springfield (IL)", *SPRINGFIELD),
        ("Springfield [IL]", *SPRINGFIELD),
        ("Springfield/IL", *SPRINGFIELD),
        ("Springfield - IL", *SPRINGFIELD),
        ("Springfield, Illinois", *SPRINGFIELD),
        ("Springfield (Illinois)", *SPRINGFIELD),
        ("Springfield, ILLINOIS", *SPRINGFIELD),
        ("Springfield, Ill.", *SPRINGFIELD),
        ("Springfield, IL, USA", *SPRINGFIELD),
        ("Springfield, IL USA", *SPRINGFIELD),
        ("Springfield, IL (USA)", *SPRINGFIELD),
        ("Springfield (IL, USA)", *SPRINGFIELD),
        ("Springfield, IL, U.S.A.", *SPRINGFIELD),
        ("Springfield, Illinois, United States", *SPRINGFIELD),
        ("Springfield, IL 62701", "Springfield", "IL", "62701"),
        ("Springfield, IL, 62701", "Springfield", "IL", "62701"),
        ("Springfield, Illinois 62701-1234", "Springfield", "IL", "62701-1234"),
        ("Springfield, IL 62701, USA", "Springfield", "IL", "62701"),
        # Without a separator.
        ("Springfield IL", *SPRINGFIELD),
        ("SPRINGFIELD IL", "SPRINGFIELD", "IL", ""),
        ("Springfield IL.", *SPRINGFIELD),
        ("Springfield IL 62701", "Springfield", "IL", "62701"),
        ("Springfield IL USA", *SPRINGFIELD),
        ("Springfield Illinois", *SPRINGFIELD),
        ("Springfield Ill.", *SPRINGFIELD),
        # States that are words, and cities that are states.
        ("PORTLAND OR", "PORTLAND", "OR", ""),
        ("Portland ME", "Portland", "ME", ""),
        ("Honolulu HI", "Honolulu", "HI", ""),
        ("Gary IN", "Gary", "IN", ""),
        ("Oklahoma City OK", "Oklahoma City", "OK", ""),
        ("Oklahoma City, Oklahoma", "Oklahoma City", "OK", ""),
        ("Indiana PA", "Indiana", "PA", ""),
        ("Indiana, Pennsylvania", "Indiana", "PA", ""),
        ("New York NY", "New York", "NY", ""),
        ("New York, New York", "New York", "NY", ""),
        ("New York New York", "New York", "NY", ""),
        ("New York, N.Y.", "New York", "NY", ""),
        ("West New York NJ", "West New York", "NJ", ""),
        ("Kansas City MO", "Kansas City", "MO", ""),
        ("Kansas City, Kansas", "Kansas City", "KS", ""),
        ("Kansas City Kansas", "Kansas City", "KS", ""),
        ("Iowa City IA 52240", "Iowa City", "IA", "52240"),
        ("Washington DC", "Washington", "DC", ""),
        ("Washington, D.C.", "Washington", "DC", ""),
        ("Washington D. C.", "Washington", "DC", ""),
        ("Washington, District of Columbia", "Washington", "DC", ""),
        ("Port Washington NY", "Port Washington", "NY", ""),
        ("Paris, TX", "Paris", "TX", ""),
        ("Paris Texas", "Paris", "TX", ""),
        ("Charleston, W. Va.", "Charleston", "WV", ""),
        ("Charleston West Virginia", "Charleston", "WV", ""),
        ("St. Louis, MO 63108", "St. Louis", "MO", "63108"),
        ("Winston-Salem NC", "Winston-Salem", "NC", ""),
        ("Boston, Mass.", "Boston", "MA", ""),
        ("San Juan, Puerto Rico", "San Juan", "PR", ""),
        ("Atlanta, Georgia", "Atlanta", "GA", ""),
        ("Toronto, ON", "Toronto", "ON", ""),
        ("Hilton, Springfield IL", "Hilton, Springfield", "IL", ""),
    ],
)
def test_state_and_zip_code_are_split_from_the_city(
    text, city, state, zip_code
) -> None:
    assert parse_place(text)[:3] == (city, state, zip_code)
    assert parse_place(city, state=state, zip_code=zip_code)[:3] == (
        city,
        state,
        zip_code,
    )
    assert parse_place(text, state=state)[:3] == (city, state, zip_code)


@pytest.mark.parametrize(
    "text",
    [
        *("", "Paris", "La", "IL", "Illinois", "New York", "Washington", "Iowa City"),
        *("Kansas City", "New Mexico", "West Virginia", "North Carolina", "St. Louis"),
        *("Port Washington", "West New York", "Fort Washington", "Nevada City"),
        *("Val d or", "Bei me", "Hua hi", "Chau in", "Cao ok", "Sa Pa", "Villa la"),
        *("Ho Hi", "Le Me", "Mont Or", "Lo In", "Ha Ok", "Val d'Or", "VAL D'OR"),
        *("Paris, France", "London, UK", "Tbilisi, Georgia", "Tbilisi Georgia"),
        *("Paris 75001", "Winston - Salem", "Mexico City", "Springfield, XX", ", IL"),
    ],
)
def test_name_without_a_state_is_the_city(text) -> None:
    assert parse_place(text) == (text, "", "", "")


def test_other_state_and_other_country_leave_the_text_whole() -> None:
    assert parse_place("Springfield, IL", state="MO")[:2] == ("Springfield, IL", "MO")
    assert parse_place("Stuttgart DE", country="GER")[:2] == ("Stuttgart DE", "")
    assert parse_place("Stuttgart DE", country="USA")[:2] == ("Stuttgart", "DE")
    assert parse_place("Springfield IL", state="Illinois")[:2] == ("Springfield", "IL")
    long = "a, " * 1000 + "IL"
    assert parse_place(long)[:2] == (long, "")


def test_country_behind_the_place_is_the_country() -> None:
    assert parse_place("Springfield, USA") == ("Springfield", "", "", "USA")
    assert parse_place("Paris, TX, US") == ("Paris", "TX", "", "USA")
    assert parse_place("USA") == ("", "", "", "USA")


@pytest.mark.parametrize("text", ["nowhere", "I", "", "ILL INOIS", "X.Y."])
def test_other_words_are_no_state(text) -> None:
    assert state_code(text) == ""


def test_place_that_is_already_split_is_unchanged() -> None:
    reported = ReportedEvent(city="Kansas City", state="MO", zip_code="64101")
    assert with_parsed_place(reported) == reported


TRF = """012 May Open
022 {place}
032 {country}
042 2024/05/04
052 2024/05/04
001    1      Abara, Ada{gap}1.0    1     2 w 1
001    2      Abara, Bo {gap}0.0    2     1 b 0
"""
GAP = " " * 56
TABLE = "Event,May Open\nCity,{place}\n{state}\nNo,Name,Rd 1\n1,Ada,W2\n2,Bo,L1\n"


def _table(place: str, state: str = "") -> bytes:
    quoted = f'"{place}"'
    line = f"State,{state}" if state else ""
    return TABLE.format(place=quoted, state=line).encode()


def _swisssys(city: str, state: str = "") -> bytes:
    overview = {"Event city": city, "Event state": state}
    return json.dumps(event(overview=overview)).encode()


def _place_of(*files: tuple[str, bytes]) -> tuple[str, str, str]:
    reported = read_report(files).reported
    assert reported is not None
    return reported.city, reported.state, reported.zip_code


@pytest.mark.parametrize(
    "text", ["Springfield IL", "Springfield, Illinois", "Springfield (IL)"]
)
def test_all_readers_split_places(text) -> None:
    report = ReportedEvent(layout="2C", name="May", city=text, total_sections=0)
    files = {
        "may.trf": TRF.format(gap=GAP, place=text, country="USA").encode(),
        "may.json": write_json(report),
        "may.pgn": game(Site=text).encode(),
        "usa.pgn": game(Site=f"{text} USA").encode(),
        "may.csv": _table(text),
        "may.xml": document(location=text),
        "may.sjson": _swisssys(text),
        "state.sjson": _swisssys(text, "Illinois"),
        "state.csv": _table(text, "Illinois"),
    }
    places = {name: _place_of((name, data)) for name, data in files.items()}
    assert places == dict.fromkeys(files, SPRINGFIELD)
    assert _place_of(*write_report(report).items()) == SPRINGFIELD


def test_state_of_a_table_may_be_written_out() -> None:
    assert _place_of(("may.csv", _table("Ames", "Iowa"))) == ("Ames", "IA", "")


def test_place_abroad_has_no_state() -> None:
    data = TRF.format(gap=GAP, place="Stuttgart DE", country="GER").encode()
    assert _place_of(("may.trf", data)) == ("Stuttgart DE", "", "")
    data = game(Site="Stuttgart DE GER").encode()
    assert _place_of(("may.pgn", data)) == ("Stuttgart DE", "", "")


def test_state_of_a_file_is_kept() -> None:
    report = ReportedEvent(layout="2C", name="May", city="Springfield, IL", state="MO")
    reported = replace(report, total_sections=0)
    assert _place_of(("may.json", write_json(reported)))[:2] == (
        "Springfield, IL",
        "MO",
    )
