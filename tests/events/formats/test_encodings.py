"""Names whose letters have two encodings, or accents as characters of their own."""

from __future__ import annotations

import json
import unicodedata

import pytest

from events.formats.report_reader import read_report
from tests.events.formats.pgn_samples import game
from tests.events.formats.section_files import Mark, Section, sjson

_XML = (
    '<chessresults><tournamentdata><tournament name="May" rounds="1" />'
    '</tournamentdata><players><player no="1" lastname="Bürch, Bo" fed="USA" />'
    '<player no="2" lastname="Çelik, Al" fed="USA" /></players><playerpairings>'
    '<playerpairing round="1" whiteno="1" blackno="2" reswhite="1" resblack="0" />'
    "</playerpairings></chessresults>"
)
_ROWS = ((Mark("W", 2, "w"),), (Mark("L", 1, "b"),))
_FILES = {
    "may.csv": 'Round,White,Black,Result\n1,"Bürch, Bo","Çelik, Al",1-0\n',
    "may.pgn": game("1-0", White="Bürch, Bo", Black="Çelik, Al"),
    "may.sjson": sjson([Section(("Bürch, Bo", "Çelik, Al"), _ROWS)])[0][1].decode(),
    "may.xml": _XML,
}


@pytest.mark.parametrize("name", _FILES)
def test_odd_byte_changes_no_other_name(name: str) -> None:
    text = _FILES[name]
    if name.endswith(".sjson"):
        text = json.dumps(json.loads(text), ensure_ascii=False)
    data = text.encode().replace("ü".encode(), "ü".encode("cp1252"))
    result = read_report([(name, data)])
    assert result.reported is not None
    entries = result.reported.sections[0].entries
    assert [entry.name for entry in entries] == ["Bürch, Bo", "Çelik, Al"]
    codes = [one.code.partition(".")[2] for one in result.findings]
    assert codes.count("encoding") == 1


@pytest.mark.parametrize("forms", ["NFC NFD", "NFD NFC", "NFD NFD"])
@pytest.mark.parametrize("name", ["may.csv", "may.pgn"])
def test_name_is_one_player_in_each_form_of_its_letters(name: str, forms: str) -> None:
    first, second = forms.split()
    text = _FILES[name] + (
        '2,"Çelik, Al","Bürch, Bo",1-0\n'
        if name.endswith(".csv")
        else game("1-0", White="Çelik, Al", Black="Bürch, Bo", Round="2")
    )
    at = text.rfind("Çelik")
    written = unicodedata.normalize(first, text[:at])
    written += unicodedata.normalize(second, text[at:])
    result = read_report([(name, written.encode())])
    assert result.reported is not None
    entries = result.reported.sections[0].entries
    assert [entry.name for entry in entries] == ["Bürch, Bo", "Çelik, Al"]
