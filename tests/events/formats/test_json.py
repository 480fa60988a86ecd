"""Reports as JSON documents: round trips, places, and faults."""

import json
from dataclasses import fields
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from events.formats.findings import Collector, Place
from events.formats.json.reader import looks_like_json, read_json
from events.formats.json.writer import pointer_to, report_document, write_json
from events.formats.report import (
    ReportedEntry,
    ReportedEvent,
    ReportedSchedule,
    ReportedSection,
    parse_cell,
)
from events.formats.report_reader import read_report

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
    all_findings = [(one.code, one.place.field, one.message) for one in result.findings]
    return result.reported, all_findings


def event(**changes):
    return {**report_document(REPORT), **changes}


def section(**changes):
    return event(sections=[{**SECTION.to_json(), **changes}])


def entry(**changes):
    return section(entries=[{**SECTION.entries[0].to_json(), **changes}])


def entry_of(*cells):
    return {"pairing_number": 1, "cells": list(cells)}


def test_round_trip_is_exact():
    findings = Collector()
    assert read_json("report.json", write_json(REPORT), findings) == REPORT
    assert findings.in_order() == []


def test_the_example_above_fills_every_field_of_a_report():
    """A new field of the records must be added here."""
    for record in (REPORT, SECTION, SECTION.entries[0], SECTION.schedules[0]):
        for field in fields(record):
            if field.name != "as_reported":  # a file is what was reported
                assert getattr(record, field.name) not in ("", None, (), False), field


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
def test_any_report_survives_a_round_trip(report):
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
    *report_document(REPORT),
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
    report, all_findings = read(document)
    assert report is not None or all_findings[0][0] == "json.not_a_report"
    if report is not None:
        assert ReportedEvent.from_json(report.to_json()) == report
        json.dumps(report.to_json()).encode()


@pytest.mark.parametrize(
    ("document", "code", "pointer", "sentence"),
    [
        (entry(cells=["W2W", 7]), "value.unreadable", "/sections/0/entries/0/cells/1",
         "/sections/0/entries/0/cells/1 has “7”, which is not a result such as W12W."),
        (entry(cells="W2W"), "value.unreadable", "/sections/0/entries/0/cells",
         "/sections/0/entries/0/cells has “W2W”, which is not a list."),
        (entry(pairing_number="x"), "value.unreadable",
         "/sections/0/entries/0/pairing_number",
         "/sections/0/entries/0/pairing_number has “x”, which is not a whole number up "
         "to 9,999."),
        (entry(name={"a": 1}), "value.unreadable", "/sections/0/entries/0/name",
         "/sections/0/entries/0/name has {…}, which is not text."),
        (entry(name="A\x00\ud800B"), "json.characters", "/sections/0/entries/0/name",
         "We removed control characters from /sections/0/entries/0/name."),
        (entry(name="x" * 600), "text.too_long", "/sections/0/entries/0/name",
         "/sections/0/entries/0/name has 600 characters. We kept the first 500."),
        (section(rounds=100), "value.unreadable", "/sections/0/rounds",
         "/sections/0/rounds has “100”, which is not a whole number up to 99."),
        (section(rounds=True), "value.unreadable", "/sections/0/rounds",
         "/sections/0/rounds has “True”, which is not a whole number up to 99."),
        (section(fide="perhaps"), "value.unreadable", "/sections/0/fide",
         "/sections/0/fide has “perhaps”, which is neither true nor false."),
        (section(entries=3), "value.unreadable", "/sections/0/entries",
         "/sections/0/entries has “3”, which is not a list."),
        (section(entries=[None]), "value.unreadable", "/sections/0/entries/0",
         "/sections/0/entries/0 has “None”, which is not an object with names."),
        (section(schedules=[{"entries": 1}]), "value.unreadable",
         "/sections/0/schedules/0/entries",
         "/sections/0/schedules/0/entries has “1”, which is not a list of whole "
         "numbers up to 9,999."),
        *[(section(schedules=[{"entries": [1, number]}]), "value.unreadable",
           "/sections/0/schedules/0/entries",
           "/sections/0/schedules/0/entries has […], which is not a list of whole "
           "numbers up to 9,999.") for number in (10_000, 0, -3, "x", None)],
        (section(schedules=[3]), "value.unreadable", "/sections/0/schedules/0",
         "/sections/0/schedules/0 has “3”, which is not an object with names."),
        (section(trf_lines="XXX"), "value.unreadable", "/sections/0/trf_lines",
         "/sections/0/trf_lines has “XXX”, which is not a list of texts."),
        (event(ends="May 5"), "value.unreadable", "/ends",
         "/ends has “May 5”, which is not a date such as 2024-05-04."),
        (event(ends=20240505), "value.unreadable", "/ends",
         "/ends has “20240505”, which is not a date such as 2024-05-04."),
        (event(ends="2024-02-30"), "value.unreadable", "/ends",
         "/ends has “2024-02-30”, which is not a date such as 2024-05-04."),
        (event(nam="May"), "json.unknown_name", "/nam",
         "We don’t know the name “nam”, so we skipped it."),
        (section(entrys=[entry_of("W2W", "H0")]), "json.results_left_out",
         "/sections/0/entrys",
         "/sections/0/entrys has results, such as “W2W”, in the wrong place. We "
         "skipped them."),
        (section(entries={"0": entry_of("L3")}), "json.results_left_out",
         "/sections/0/entries",
         "/sections/0/entries has results, such as “L3”, in the wrong place. We "
         "skipped them."),
        (entry(cells="D4"), "json.results_left_out", "/sections/0/entries/0/cells",
         "/sections/0/entries/0/cells has results, such as “D4”, in the wrong place. "
         "We skipped them."),
        (event(version=2), "json.version", "/version",
         "The file does not say that it is a rating-report of version 1. We read it as "
         "one."),
        (event(sections=[SECTION.to_json()] * 100), "json.too_large", "/sections",
         "There are 100 sections. We read 99 of them."),
    ],
)  # fmt: skip
def test_a_fault_is_placed_by_its_pointer(document, code, pointer, sentence):
    report, all_findings = read(document)
    assert (code, pointer, sentence) in all_findings
    assert report is not None


def test_results_under_a_repeated_name_are_reported():
    text = json.dumps(section(entries=[entry_of("W2W")]))
    twice = '"entries": [{"cells": ["L3"]}], "entries": [{'
    both = text.replace('"entries": [{', twice).encode()
    assert (
        "json.results_left_out",
        "",
        "entries has results, such as “L3”, in the wrong place. We skipped them.",
    ) in read(both)[1]


def test_a_fault_names_the_section_and_the_player():
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
def test_other_documents_are_rejected_with_a_message(data, code):
    report, all_findings = read(data)
    assert report is None
    assert [one[0] for one in all_findings] == [code]
    assert "report.json" in all_findings[0][2]


@pytest.mark.parametrize("data", [b"[]", b"null", b"1", b'"x"'])
def test_other_json_is_no_report_either(data):
    assert read(data)[1][0][0] == "json.not_a_report"


def test_a_repeated_name_is_reported():
    data = b'{"name": "One", "name": "Two", "sections": []}'
    report, all_findings = read(data)
    assert report.name == "Two"
    assert all_findings == [
        ("json.name_twice", "", "The name “name” appears twice in one object. We used "
                                "the last one.")
    ]  # fmt: skip


def test_numbers_without_end_are_texts():
    data = b'{"name": 1' + b"0" * 5_000 + b', "sections": []}'
    report, all_findings = read(data)
    assert report.name == "1" + "0" * 499
    assert [one[0] for one in all_findings] == ["text.too_long"]


def test_a_document_is_recognized_by_its_first_characters():
    assert looks_like_json("report.txt", b"\xef\xbb\xbf\n{}")
    assert not looks_like_json("table.csv", b"Name,Rd 1\n")


def test_other_files_with_a_document_are_skipped():
    result = read_report([("notes.txt", b"x"), ("a.json", write_json(REPORT))])
    assert result.reported == REPORT
    assert [one.message for one in result.findings] == [
        "We read the report from a.json and skipped notes.txt."
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


@pytest.mark.parametrize(
    ("written", "day"),
    [
        ("2025-05-03", date(2025, 5, 3)),
        ("", None),
        (None, None),
        *((text, "unreadable") for text in ("5/3/2025", "03.05.2025", "May 3, 2025")),
        *((text, "unreadable") for text in ("25-05-03", "3/5", "0", 20250503, True)),
    ],
)
def test_days_are_read_as_documented_only(written, day):
    content = {"starts": written, "sections": [{"number": 1, "entries": []}]}
    result = read_report([("may.json", json.dumps(content).encode())])
    codes = [f.code for f in result.findings if f.place.field == "/starts"]
    assert codes == (["value.unreadable"] if day == "unreadable" else [])
    assert result.reported.starts == (None if day == "unreadable" else day)
