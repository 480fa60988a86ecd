"""Sets of files from the 1990s, recognized by their fields."""

from __future__ import annotations

from datetime import date

from events.formats.checks.report import check_report
from events.formats.dbf.tables import Field, write_table
from events.formats.report import format_cell
from events.formats.report_reader import ReadResult, read_report


def fields(*widths: tuple[str, int]) -> list[Field]:
    return [Field(name, "C", width) for name, width in widths]


EVENT = [
    *fields(("H_EVENT_ID", 9), ("H_NAME", 35), ("H_TOT_SECT", 2)),
    *(Field(name, "D", 8) for name in ("H_BEG_DATE", "H_END_DATE", "H_RCV_DATE")),
    *fields(("H_AFF_ID", 8), ("H_CITY", 21), ("H_STATE", 2), ("H_ZIPCODE", 10)),
    *fields(("H_COUNTRY", 21), ("H_SENDCROS", 1), ("H_SCHOLAST", 1)),
    Field("H_SECREC01", "N", 7),
]
SECTION = [
    *fields(("S_EVENT_ID", 9), ("S_SEC_NUM", 2), ("S_SEC_NAME", 10)),
    *fields(("S_K_FACTOR", 1), ("S_R_SYSTEM", 1), ("S_CTD_ID", 8), ("S_ATD_ID", 8)),
    *fields(("S_TRN_TYPE", 1), ("S_TOT_RNDS", 2), ("S_LST_PAIR", 4)),
    Field("S_DTLREC01", "N", 7),
]
ENTRY = [
    *fields(("D_EVENT_ID", 9), ("D_SEC_NUM", 2), ("D_PAIR_NUM", 4), ("D_REC_SEQ", 1)),
    *fields(("D_MEM_ID", 8), *((f"D_RND{n:02}", 5) for n in range(1, 11))),
]


def event_row(event_id: str = "960504001") -> dict[str, str]:
    return {
        "H_EVENT_ID": event_id,
        "H_NAME": "MAY OPEN",
        "H_TOT_SECT": "1",
        "H_BEG_DATE": "19960504",
        "H_END_DATE": "19960505",
        "H_AFF_ID": "A6051416",
        "H_CITY": "OAKLAND",
        "H_STATE": "CA",
        "H_SENDCROS": "N",
        "H_SECREC01": "1",
    }


def section_row(event_id: str = "960504001", rounds: int = 12) -> dict[str, str]:
    return {
        "S_EVENT_ID": event_id,
        "S_SEC_NUM": " 1",
        "S_SEC_NAME": "OPEN",
        "S_K_FACTOR": "F",
        "S_R_SYSTEM": "R",
        "S_CTD_ID": "12345680",
        "S_TRN_TYPE": "S",
        "S_TOT_RNDS": str(rounds),
        "S_LST_PAIR": "2",
        "S_DTLREC01": "1",
    }


def entry_rows(
    number: int, *results: str, event_id: str = "960504001"
) -> list[dict[str, str]]:
    """Return one record for rounds 1 to 10 and another for the rest."""
    return [
        {
            "D_EVENT_ID": event_id,
            "D_SEC_NUM": " 1",
            "D_PAIR_NUM": f"{number:4}",
            "D_REC_SEQ": str(sequence),
            "D_MEM_ID": f"1234567{number}",
            **{f"D_RND{n:02}": text for n, text in enumerate(part, start=1)},
        }
        for sequence, part in enumerate((results[:10], results[10:]), start=1)
        if part
    ]


def read(
    events: list[dict[str, str]],
    sections: list[dict[str, str]],
    entries: list[dict[str, str]],
) -> ReadResult:
    return read_report(
        [
            ("THEXPORT.DBF", write_table(EVENT, events)),
            ("TSEXPORT.DBF", write_table(SECTION, sections)),
            ("TDEXPORT.DBF", write_table(ENTRY, entries)),
        ]
    )


ENTRIES = [
    *entry_rows(1, *["W   2"] * 11, "H   0"),
    *entry_rows(2, *["L   1"] * 11, "B   0"),
]


def test_old_files_are_read_with_both_records_of_a_player() -> None:
    result = read([event_row()], [section_row()], ENTRIES)
    report = result.reported
    assert report is not None
    assert (report.name, report.starts) == ("MAY OPEN", date(1996, 5, 4))
    assert report.chief_td_id == "12345680"
    [section] = report.sections
    assert (section.kind_letter, section.rounds) == ("S", 12)
    assert [
        (entry.member_id, [format_cell(cell) for cell in entry.cells])
        for entry in section.entries
    ] == [
        ("12345671", ["W2"] * 11 + ["H0"]),
        ("12345672", ["L1"] * 11 + ["B0"]),
    ]
    assert [finding.code for finding in result.findings] == ["file.legacy_layout"]
    errors = [f.code for f in check_report(report) if f.severity == "error"]
    assert errors == ["section.time_control_missing"]


def test_of_several_events_the_first_is_read_and_the_others_are_named() -> None:
    other = "960601002"
    result = read(
        [event_row(), event_row(other)],
        [section_row(), section_row(other)],
        [*ENTRIES, *entry_rows(3, "W   4", event_id=other)],
    )
    assert result.reported is not None
    [section] = result.reported.sections
    assert [entry.pairing_number for entry in section.entries] == [1, 2]
    assert [finding.code for finding in result.findings] == [
        "event.several",
        "file.legacy_layout",
    ]


def test_section_chiefs_who_differ_are_not_the_events() -> None:
    second = section_row() | {"S_SEC_NUM": " 2", "S_CTD_ID": "12345681"}
    result = read([event_row()], [section_row(), second], ENTRIES)
    assert result.reported is not None
    assert result.reported.chief_td_id == ""
    assert [s.chief_td_id for s in result.reported.sections] == ["12345680", "12345681"]
