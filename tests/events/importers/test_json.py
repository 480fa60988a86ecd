"""Reports as JSON documents: round trips, places, and everything that goes wrong."""

import json
from dataclasses import fields
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from events.importers.findings import Collector, Place
from events.importers.json.read import looks_like_json, read_json
from events.importers.json.write import document_of, pointer_to, write_json
from events.importers.read_report import read_report
from events.importers.records import (
    ReportedEntry,
    ReportedEvent,
    ReportedSchedule,
    ReportedSection,
    parse_cell,
)

SECTION = ReportedSection(
    number=2,
    name="Açaí Open",
    system_letter="R",
    time_control="G/90;d5",
    chief_td_id="12345678",
    assistant_td_id="12345679",
    kind_letter="S",
    rounds=2,
    last_pairing_number=2,
    starts=date(2024, 5, 4),
    ends=date(2024, 5, 5),
    scholastic_level="N",
    grand_prix=True,
    grand_prix_points=6,
    fide=True,
    online=True,
    trf_lines=("XXX a line  with\ta tab ",),
    entries=(
        ReportedEntry(
            1, "12641216", "ADAMS, ADA", "OH", "1650",
            tuple(map(parse_cell, ("W2W", "won?"))), "2020009", "1700", "99", "1500",
            "1688",
        ),
        ReportedEntry(2, "12641217", cells=(parse_cell("L1B"),)),
    ),
    schedules=(
        ReportedSchedule(
            "2-day", "G/60;d5", 1, 2, date(2024, 5, 5), date(2024, 5, 5), (1, 2)
        ),
    ),
)  # fmt: skip
REPORT = ReportedEvent(
    layout="2C",
    program="tests",
    event_id="202405054211",
    name="May “Open” ½",
    starts=date(2024, 5, 4),
    ends=date(2024, 5, 5),
    affiliate_id="A6000001",
    city="Springfield",
    state="IL",
    zip_code="62701",
    country="USA",
    send_crosstable="N",
    chief_td_id="12345678",
    assistant_td_id="12345679",
    other_td_ids=("12345680", "12345681"),
    sections=(SECTION,),
    total_sections=1,
)


def read(document, name="report.json"):
    data = document if isinstance(document, bytes) else json.dumps(document).encode()
    result = read_report([(name, data)])
    said = [(one.code, one.place.field, one.message) for one in result.findings]
    return result.reported, said


def event(**changes):
    return {**document_of(REPORT), **changes}


def section(**changes):
    return event(sections=[{**SECTION.to_json(), **changes}])


def entry(**changes):
    return section(entries=[{**SECTION.entries[0].to_json(), **changes}])


def entry_of(*cells):
    return {"pairing_number": 1, "cells": list(cells)}


def test_what_is_written_is_read_to_the_letter():
    findings = Collector()
    assert read_json("report.json", write_json(REPORT), findings) == REPORT
    assert findings.in_order() == []


def test_the_example_above_fills_every_field_of_a_report():
    """So that a field that is added to the records is not forgotten here."""
    for record in (REPORT, SECTION, SECTION.entries[0], SECTION.schedules[0]):
        for field in fields(record):
            assert getattr(record, field.name) not in ("", None, (), False), field.name


TEXT = st.text(st.characters(blacklist_categories=["Cc", "Cs"]), max_size=20)
DAYS = st.none() | st.dates()
CELLS = st.sampled_from(["", "W2W", "D1", "H0", "U0", "B0", "odd", "X3", "L9999B"])
ENTRIES = st.builds(
    ReportedEntry,
    pairing_number=st.integers(0, 9999),
    member_id=TEXT,
    name=TEXT,
    rating=TEXT,
    cells=st.lists(CELLS.map(parse_cell), max_size=4).map(tuple),
    fide_id=TEXT,
)
SECTIONS = st.builds(
    ReportedSection,
    number=st.integers(0, 99),
    name=TEXT,
    rounds=st.none() | st.integers(0, 99),
    starts=DAYS,
    ends=DAYS,
    fide=st.booleans(),
    grand_prix_points=st.none() | st.integers(0, 999),
    trf_lines=st.lists(TEXT, max_size=3).map(tuple),
    entries=st.lists(ENTRIES, max_size=3).map(tuple),
)
REPORTS = st.builds(
    ReportedEvent,
    name=TEXT,
    starts=DAYS,
    other_td_ids=st.lists(TEXT, max_size=3).map(tuple),
    sections=st.lists(SECTIONS, max_size=3).map(tuple),
    total_sections=st.none() | st.integers(0, 99),
)


@given(REPORTS)
def test_any_report_comes_back_as_it_was(report):
    findings = Collector()
    assert read_json("report.json", write_json(report), findings) == report
    assert findings.in_order() == []


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=6,
)
NAMES = [
    "schedules",
    *document_of(REPORT),
    *SECTION.to_json(),
    *SECTION.entries[0].to_json(),
]


@given(
    st.sampled_from(["event", "section", "entry"]),
    st.sampled_from(NAMES),
    JSON_VALUES,
)
def test_no_value_anywhere_stops_the_reader(where, name, value):
    document = {"event": event, "section": section, "entry": entry}[where](
        **{name: value}
    )
    report, said = read(document)
    assert report is not None or said[0][0] == "json.not_a_report"
    if report is not None:
        assert ReportedEvent.from_json(report.to_json()) == report
        json.dumps(report.to_json()).encode()


@pytest.mark.parametrize(
    ("document", "code", "pointer", "sentence"),
    [
        (entry(cells=["W2W", 7]), "value.unreadable", "/sections/0/entries/0/cells/1",
         "/sections/0/entries/0/cells/1 holds “7”, which is not a result such as "
         "W12W."),
        (entry(cells="W2W"), "value.unreadable", "/sections/0/entries/0/cells",
         "/sections/0/entries/0/cells holds “W2W”, which is not a list."),
        (entry(pairing_number="x"), "value.unreadable",
         "/sections/0/entries/0/pairing_number",
         "/sections/0/entries/0/pairing_number holds “x”, which is not a whole number "
         "up to 9,999."),
        (entry(name={"a": 1}), "value.unreadable", "/sections/0/entries/0/name",
         "/sections/0/entries/0/name holds {…}, which is not a text."),
        (entry(name="A\x00\ud800B"), "json.characters", "/sections/0/entries/0/name",
         "/sections/0/entries/0/name held control characters, which were left out."),
        (entry(name="x" * 600), "text.too_long", "/sections/0/entries/0/name",
         "/sections/0/entries/0/name has 600 characters; 500 were kept."),
        (section(rounds=100), "value.unreadable", "/sections/0/rounds",
         "/sections/0/rounds holds “100”, which is not a whole number up to 99."),
        (section(rounds=True), "value.unreadable", "/sections/0/rounds",
         "/sections/0/rounds holds “True”, which is not a whole number up to 99."),
        (section(fide="perhaps"), "value.unreadable", "/sections/0/fide",
         "/sections/0/fide holds “perhaps”, which is neither true nor false."),
        (section(entries=3), "value.unreadable", "/sections/0/entries",
         "/sections/0/entries holds “3”, which is not a list."),
        (section(entries=[None]), "value.unreadable", "/sections/0/entries/0",
         "/sections/0/entries/0 holds “None”, which is not an object with names."),
        (section(schedules=[{"entries": 1}]), "value.unreadable",
         "/sections/0/schedules/0/entries",
         "/sections/0/schedules/0/entries holds “1”, which is not a list of whole "
         "numbers up to 9,999."),
        (section(schedules=[3]), "value.unreadable", "/sections/0/schedules/0",
         "/sections/0/schedules/0 holds “3”, which is not an object with names."),
        (section(trf_lines="XXX"), "value.unreadable", "/sections/0/trf_lines",
         "/sections/0/trf_lines holds “XXX”, which is not a list of texts."),
        (event(ends="May 5"), "value.unreadable", "/ends",
         "/ends holds “May 5”, which is not a date such as 2024-05-04."),
        (event(ends=20240505), "value.unreadable", "/ends",
         "/ends holds “20240505”, which is not a date such as 2024-05-04."),
        (event(ends="2024-02-30"), "value.unreadable", "/ends",
         "/ends holds “2024-02-30”, which is not a date such as 2024-05-04."),
        (event(nam="May"), "json.unknown_name", "/nam",
         "“nam” means nothing in a report and was left aside."),
        (section(entrys=[entry_of("W2W", "H0")]), "json.results_left_out",
         "/sections/0/entrys",
         "/sections/0/entrys holds results, such as “W2W”, where a report has none; "
         "they were left out."),
        (section(entries={"0": entry_of("L3")}), "json.results_left_out",
         "/sections/0/entries",
         "/sections/0/entries holds results, such as “L3”, where a report has none; "
         "they were left out."),
        (entry(cells="D4"), "json.results_left_out", "/sections/0/entries/0/cells",
         "/sections/0/entries/0/cells holds results, such as “D4”, where a report has "
         "none; they were left out."),
        (event(version=2), "json.version", "/version",
         "The document does not say that it is a rating-report of version 1; it was "
         "read as one."),
        (event(sections=[SECTION.to_json()] * 100), "json.too_large", "/sections",
         "There are 100 sections; 99 of them were read."),
    ],
)  # fmt: skip
def test_a_fault_is_placed_by_its_pointer(document, code, pointer, sentence):
    report, said = read(document)
    assert (code, pointer, sentence) in said
    assert report is not None


def test_results_under_a_name_that_comes_twice_are_told():
    text = json.dumps(section(entries=[entry_of("W2W")]))
    twice = '"entries": [{"cells": ["L3"]}], "entries": [{'
    both = text.replace('"entries": [{', twice).encode()
    assert (
        "json.results_left_out",
        "",
        "entries holds results, such as “L3”, where a report has none; they were left "
        "out.",
    ) in read(both)[1]


def test_a_fault_says_the_section_and_the_player_too():
    report = read_report([("r.json", json.dumps(entry(rating=[])).encode())])
    [fault] = report.findings
    assert (fault.place.section, fault.place.pairing_number) == (2, 1)


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"{", "json.unreadable"),
        (b'{"sections": [', "json.unreadable"),
        (b'{"name": "M\xfcller", "sections": []}', "json.unreadable"),
        (b'{"sections": ' + b"[" * 100_000, "json.unreadable"),
        (b"{}", "json.not_a_report"),
        (b'{"sections": {}}', "json.not_a_report"),
    ],
)
def test_what_is_no_report_is_refused_in_a_sentence(data, code):
    report, said = read(data)
    assert report is None
    assert [one[0] for one in said] == [code]
    assert said[0][2].startswith("report.json ")


@pytest.mark.parametrize("data", [b"[]", b"null", b"1", b'"x"'])
def test_other_json_is_no_report_either(data):
    assert read(data)[1][0][0] == "json.not_a_report"


def test_a_name_given_twice_is_told():
    data = b'{"name": "One", "name": "Two", "sections": []}'
    report, said = read(data)
    assert report.name == "Two"
    assert said == [
        ("json.name_twice", "", "The name “name” appears twice in one object; the last "
         "was read.")
    ]  # fmt: skip


def test_numbers_without_end_are_texts():
    data = b'{"name": 1' + b"0" * 5_000 + b', "sections": []}'
    report, said = read(data)
    assert report.name == "1" + "0" * 499
    assert [one[0] for one in said] == ["text.too_long"]


def test_a_document_is_known_by_what_it_begins_with():
    assert looks_like_json("report.txt", b"\xef\xbb\xbf\n{}")
    assert not looks_like_json("table.csv", b"Name,Rd 1\n")


def test_what_comes_with_a_document_is_left_aside():
    result = read_report([("notes.txt", b"x"), ("a.json", write_json(REPORT))])
    assert result.reported == REPORT
    assert [one.message for one in result.findings] == [
        "notes.txt was left aside: the report was read from a.json."
    ]
    assert [(one.name, one.role) for one in result.accepted_files] == [
        ("a.json", "JSON")
    ]


@pytest.mark.parametrize(
    ("place", "pointer"),
    [
        (Place(), ""),
        (Place(field="ends"), "/ends"),
        (Place(section=2), "/sections/0"),
        (Place(section=2, field="rounds"), "/sections/0/rounds"),
        (Place(section=2, pairing_number=2), "/sections/0/entries/1"),
        (Place(section=2, pairing_number=2, field="name"),
         "/sections/0/entries/1/name"),
        (Place(section=2, pairing_number=2, round_number=1),
         "/sections/0/entries/1/cells/0"),
        (Place(section=2, pairing_number=9, round_number=1), "/sections/0"),
        (Place(section=7, field="rounds"), ""),
        (Place(file="report.json", field="/a/b"), "/a/b"),
    ],
)  # fmt: skip
def test_every_place_has_its_pointer(place, pointer):
    assert pointer_to(REPORT, place) == pointer
