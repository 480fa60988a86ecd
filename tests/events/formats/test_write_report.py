from __future__ import annotations

import io
import zipfile
from dataclasses import replace
from datetime import date
from pathlib import Path

import dbfread
import pytest
from hypothesis import given, settings

from events.formats.dbf.writer import text_findings, write_report, zip_report
from events.formats.report import ReportedEvent
from events.formats.report_reader import read_report
from tests.events.formats.samples import event_reports, report, section
from tests.hypothesis_settings import example_count


def read_back(original: ReportedEvent) -> ReportedEvent | None:
    return read_report(list(write_report(original).items())).reported


@settings(max_examples=example_count(60), deadline=None)
@given(event_reports())
def test_files_give_the_same_report(original: ReportedEvent) -> None:
    assert text_findings(original) == []
    assert read_back(original) == original


@settings(max_examples=example_count(20), deadline=None)
@given(event_reports())
def test_archive_gives_the_same_report(original: ReportedEvent) -> None:
    assert read_report([("report.zip", zip_report(original))]).reported == original


def test_same_report_gives_the_same_bytes() -> None:
    assert zip_report(report()) == zip_report(report())
    assert write_report(report()) == write_report(report())


def test_archive_has_the_three_files() -> None:
    with zipfile.ZipFile(io.BytesIO(zip_report(report()))) as archive:
        assert {name: archive.read(name) for name in archive.namelist()} == (
            write_report(report())
        )


def test_independent_reader_sees_the_layout(tmp_path: Path) -> None:
    tables = {}
    shorter = section(2, rounds=2, name="RESERVE")
    shorter = replace(
        shorter,
        entries=tuple(
            replace(entry, cells=entry.cells[:2]) for entry in shorter.entries
        ),
    )
    for name, content in write_report(report(section(), shorter)).items():
        path = tmp_path / name
        path.write_bytes(content)
        tables[name] = dbfread.DBF(path, encoding="ascii", load=True)

    assert tables["THEXPORT.DBF"].records == [
        {
            "H_FORMAT": "2C",
            "H_PROGRAM": "TESTPAIR",
            "H_EVENT_ID": "202405050011",
            "H_NAME": "MAY OPEN",
            "H_TOT_SECT": "2",
            "H_BEG_DATE": "20240504",
            "H_END_DATE": "20240505",
            "H_AFF_ID": "A6051416",
            "H_CITY": "OAKLAND",
            "H_STATE": "CA",
            "H_ZIPCODE": "94601",
            "H_COUNTRY": "USA",
            "H_SENDCROS": "N",
            "H_CTD_ID": "12345680",
            "H_ATD_ID": "12345681",
            "H_OTHER_TD": "12345682,12345683",
        }
    ]
    assert [(field.name, field.length) for field in tables["TSEXPORT.DBF"].fields] == [
        ("S_EVENT_ID", 12),
        ("S_SEC_NUM", 2),
        ("S_SEC_NAME", 30),
        ("S_R_SYSTEM", 1),
        ("S_TIMECTL", 40),
        ("S_CTD_ID", 8),
        ("S_ATD_ID", 8),
        ("S_TRN_TYPE", 1),
        ("S_TOT_RNDS", 2),
        ("S_LST_PAIR", 4),
        ("S_BEG_DATE", 8),
        ("S_END_DATE", 8),
        ("S_SCH_LVL", 1),
        ("S_GR_PRIX", 1),
        ("S_GP_PTS", 3),
        ("S_FIDE", 1),
    ]
    entries = tables["TDEXPORT.DBF"].records
    assert len(entries) == 8
    assert entries[0] == {
        "D_EVENT_ID": "202405050011",
        "D_SEC_NUM": "1",
        "D_PAIR_NUM": "1",
        "D_MEM_ID": "12345671",
        "D_NAME": "REYES, ANA",
        "D_STATE": "CA",
        "D_RATING": "1500",
        "D_RND01": "W4W",
        "D_RND02": "W3B",
        "D_RND03": "D2W",
    }
    assert [entry["D_RND03"] for entry in entries[4:]] == ["U0"] * 4


def test_own_fields_appear_only_where_they_are_needed() -> None:
    plain = write_report(report())
    online = write_report(report(section(online=True)).with_entry(1, 2, fide_id="7"))
    assert b"S_ONLINE" not in plain["TSEXPORT.DBF"]
    assert b"D_FIDE_ID" not in plain["TDEXPORT.DBF"]
    assert b"S_ONLINE" in online["TSEXPORT.DBF"]
    assert b"D_FIDE_ID" in online["TDEXPORT.DBF"]


def test_text_that_does_not_fit_is_cut_and_reported() -> None:
    long = report(name="A" * 40, city="Łódź 王")
    assert [(finding.code, finding.message) for finding in text_findings(long)] == [
        ("text.characters", "City: the files will show “Lódz ?” for “Łódź 王”."),
        (
            "text.too_long",
            "Event name: the files have room for 35 of its 40 characters, "
            f"“{'A' * 35}”.",
        ),
    ]
    assert read_back(long) == replace(long, name="A" * 35, city="Lódz ?")


@pytest.mark.parametrize("day", [None, date(1850, 1, 1), date(2300, 12, 31)])
def test_any_date_can_be_written(day: date | None) -> None:
    odd = report(starts=day, ends=day)
    assert read_back(odd) == odd


def test_numbers_that_no_field_can_hold_are_named_too() -> None:
    huge = 10**9
    entry = replace(section().entries[0], pairing_number=huge)
    wide = section(
        number=huge,
        rounds=huge,
        last_pairing_number=huge,
        grand_prix_points=huge,
        entries=(entry,),
    )
    findings = text_findings(report(sections=(wide,), total_sections=huge))
    assert {finding.code for finding in findings} == {"text.too_long"}
    assert len({finding.place.field for finding in findings}) == 6
