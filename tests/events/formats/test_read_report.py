from __future__ import annotations

import random
import struct
from dataclasses import replace
from datetime import date
from pathlib import Path

import dbf as dbf_oracle
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from events.formats import archive
from events.formats.checks.report import check_report
from events.formats.dbf.layout_2c import Role
from events.formats.dbf.tables import Field, write_table
from events.formats.dbf.writer import write_report, zip_report
from events.formats.findings import Severity
from events.formats.report import ReportedEvent, parse_cell
from events.formats.report_reader import (
    MAX_FILE_BYTES,
    MAX_FILES,
    AcceptedFile,
    Format,
    ReadResult,
    read_report,
)
from tests.cpu_time import cpu_time
from tests.events.formats.samples import big_report, cells, report, section, zipped
from tests.hypothesis_settings import example_count

FILES = write_report(report())


def read(files: dict[str, bytes]) -> ReadResult:
    return read_report(list(files.items()))


def codes(result: ReadResult) -> list[str]:
    return [finding.code for finding in result.findings]


def refused(files: list[tuple[str, bytes]]) -> list[str]:
    """Read files that must be rejected within a second; return the error messages."""
    with cpu_time() as spent:
        result = read_report(files)
    assert spent.seconds < 1
    assert result.reported is None
    return [
        str(finding)
        for finding in result.findings
        if finding.severity is Severity.ERROR
    ]


def test_three_files_become_the_report() -> None:
    assert read(FILES) == ReadResult(
        report(),
        [],
        (
            AcceptedFile("THEXPORT.DBF", Role.EVENT),
            AcceptedFile("TSEXPORT.DBF", Role.SECTIONS),
            AcceptedFile("TDEXPORT.DBF", Role.ENTRIES),
        ),
        format=Format.DBF,
    )


@pytest.mark.parametrize(
    "rename",
    [
        str.lower,
        str.title,
        lambda name: f"C:\\reports\\{name}",
        lambda name: f"/tmp/may/{name.lower()}",
        lambda name: f"MayOpen{name}",
    ],
)
def test_any_letter_case_folder_and_prefix_will_do(rename) -> None:
    result = read({rename(name): content for name, content in FILES.items()})
    assert (result.reported, result.findings) == (report(), [])


def test_renamed_files_are_known_by_their_fields() -> None:
    renamed = {f"{n}.bin": content for n, content in enumerate(FILES.values())}
    result = read(renamed)
    assert result.reported == report()
    assert [str(finding) for finding in result.findings] == [
        "0.bin has the fields of THEXPORT.DBF, so we read it as that file.",
        "1.bin has the fields of TSEXPORT.DBF, so we read it as that file.",
        "2.bin has the fields of TDEXPORT.DBF, so we read it as that file.",
    ]


def test_archive_may_have_folders_and_clutter() -> None:
    members = {f"May Open/{name.lower()}": data for name, data in FILES.items()}
    members["__MACOSX/May Open/._thexport.dbf"] = b"\0\5\x16\7"
    members["May Open/.DS_Store"] = b"\0\0\0\1Bud1"
    result = read_report([("may.zip", zipped(members))])
    assert (result.reported, result.findings) == (report(), [])


def test_stray_file_with_a_complete_report_is_a_note() -> None:
    result = read({**FILES, "notes.txt": b"A good event."})
    assert result.reported == report()
    [finding] = result.findings
    assert (finding.severity, finding.code) == (Severity.NOTE, "file.ignored")


def test_files_of_the_dbf_package_are_read(tmp_path: Path) -> None:
    """Dates are date fields and numbers numeric fields, as in the specification."""
    layouts = {
        "thexport": (
            "H_FORMAT C(5); H_PROGRAM C(10); H_EVENT_ID C(12); H_NAME C(35);"
            "H_TOT_SECT N(2,0); H_BEG_DATE D; H_END_DATE D; H_AFF_ID C(8);"
            "H_CITY C(21); H_STATE C(2); H_ZIPCODE C(10); H_COUNTRY C(21);"
            "H_SENDCROS C(1); H_CTD_ID C(8); H_ATD_ID C(8); H_OTHER_TD C(254)",
            [("2C", "TESTPAIR", "202405050011", "MAY OPEN", 1, date(2024, 5, 4),
              date(2024, 5, 5), "A6051416", "OAKLAND", "CA", "94601", "USA", "N",
              "12345680", "12345681", "12345682, 12345683")],
        ),
        "tsexport": (
            "S_EVENT_ID C(12); S_SEC_NUM N(2,0); S_SEC_NAME C(30); S_R_SYSTEM C(1);"
            "S_TIMECTL C(40); S_CTD_ID C(8); S_ATD_ID C(8); S_TRN_TYPE C(1);"
            "S_TOT_RNDS N(2,0); S_LST_PAIR N(4,0); S_BEG_DATE D; S_END_DATE D;"
            "S_SCH_LVL C(1); S_GR_PRIX C(1); S_GP_PTS C(3); S_FIDE C(1)",
            [("202405050011", 1, "OPEN", "R", "G/90;d5", "", "", "S", 3, 4, None,
              None, "N", "N", "", "N")],
        ),
        "tdexport": (
            "D_EVENT_ID C(12); D_SEC_NUM N(2,0); D_PAIR_NUM N(4,0); D_MEM_ID N(8,0);"
            "D_NAME C(30); D_STATE C(2); D_RATING N(4,0); D_RND01 C(7); D_RND02 C(7);"
            "D_RND03 C(7)",
            [("202405050011", 1, entry.pairing_number, int(entry.member_id),
              entry.name, "CA", 1500, *texts)
             for entry, texts in zip(section().entries, (
                 ("W   4W", "W   3B", "D   2W"), ("W   3W", "L   4B", "D   1B"),
                 ("L   2B", "L   1W", "H"), ("L   1B", "W   2W", "B   0")),
                 strict=True)],
        ),
    }  # fmt: skip
    files = []
    for name, (fields, rows) in layouts.items():
        path = tmp_path / f"{name}.dbf"
        table = dbf_oracle.Table(str(path), fields, codepage="cp1252", dbf_type="db3")
        with table.open(mode=dbf_oracle.READ_WRITE):
            for row in rows:
                table.append(row)
        files.append((path.name, path.read_bytes()))
    result = read_report(files)
    assert (result.reported, result.findings) == (report(), [])


def test_sections_of_different_length_share_one_file() -> None:
    long = section(2, name="LONG", rounds=5)
    long = replace(
        long,
        entries=tuple(
            replace(entry, cells=(*entry.cells, *cells("U0", "H0")))
            for entry in long.entries
        ),
    )
    original = report(section(), long)
    assert read(write_report(original)).reported == original


def test_records_that_continue_after_ten_rounds_are_joined() -> None:
    rounds = [f"W{n}W" for n in range(2, 14)]
    fields = [Field(name, "C", 12) for name in ("D_SEC_NUM", "D_PAIR_NUM", "D_MEM_ID")]
    fields += [Field(f"D_RND{n:02}", "C", 7) for n in range(1, 11)]
    rows = []
    for part in (rounds[:10], rounds[10:]):
        row = {"D_SEC_NUM": "1", "D_PAIR_NUM": "1", "D_MEM_ID": "12345671"}
        rows.append(row | {f"D_RND{n:02}": text for n, text in enumerate(part, 1)})
    files = write_report(report(section(rounds=12, last_pairing_number=1)))
    files["TDEXPORT.DBF"] = write_table(fields, rows)
    [entry] = read(files).reported.sections[0].entries
    assert entry.cells == cells(*rounds)


def test_two_people_with_one_pairing_number_are_not_joined() -> None:
    fields = [Field(name, "C", 12) for name in ("D_SEC_NUM", "D_PAIR_NUM", "D_MEM_ID")]
    fields += [Field("D_RND01", "C", 7)]
    row = {"D_SEC_NUM": "1", "D_PAIR_NUM": "1", "D_RND01": "H0"}
    rows = [row | {"D_MEM_ID": "12345671"}, row | {"D_MEM_ID": "12345672"}]
    result = read(FILES | {"TDEXPORT.DBF": write_table(fields, rows)})
    assert [
        (entry.member_id, entry.cells) for entry in result.reported.sections[0].entries
    ] == [("12345671", cells("H0")), ("12345672", cells("H0"))]


def test_repeated_pairing_number_is_not_taken_for_a_continuation() -> None:
    twice = report().with_entry(1, 4, pairing_number=3)
    assert read(write_report(twice)).reported == twice


def test_unreadable_numbers_and_dates_are_reported_and_left_blank() -> None:
    row = {
        "H_NAME": "X",
        "H_TOT_SECT": "one",
        "H_BEG_DATE": "20240231",
        "H_END_DATE": "5/5/2024",
        "H_AFF_ID": "A6051416",
    }
    fields = [Field(name, "C", 12) for name in row]
    result = read(FILES | {"THEXPORT.DBF": write_table(fields, [row])})
    assert result.reported.total_sections is None
    assert (result.reported.starts, result.reported.ends) == (None, date(2024, 5, 5))
    assert [
        (finding.code, finding.place.field, finding.message)
        for finding in result.findings
    ] == [
        (
            "value.unreadable",
            "starts",
            "H_BEG_DATE has “20240231”, which is not a date such as 20240504.",
        ),
        (
            "value.unreadable",
            "total_sections",
            "H_TOT_SECT has “one”, which is not a whole number.",
        ),
        (
            "value.date_spelling",
            "ends",
            "H_END_DATE is written as 5/5/2024. We read the month first.",
        ),
    ]


def test_entries_of_a_section_that_is_not_described_are_kept() -> None:
    other = write_report(report(section(), section(2)))
    result = read(FILES | {"TDEXPORT.DBF": other["TDEXPORT.DBF"]})
    assert [item.number for item in result.reported.sections] == [1, 2]
    assert len(result.reported.sections[1].entries) == 4
    assert codes(result) == ["section.not_described"]


@pytest.mark.parametrize("missing", list(FILES))
def test_missing_file_is_an_error_and_the_rest_is_read(missing: str) -> None:
    result = read({name: data for name, data in FILES.items() if name != missing})
    assert f"{missing} is missing. Upload all three files of the report at once." in [
        str(finding) for finding in result.findings
    ]
    assert (result.reported is None) == (missing == "TDEXPORT.DBF")


def test_nothing_uploaded() -> None:
    assert refused([]) == [
        "No report file was uploaded. Choose the files that your pairing program "
        "exported."
    ]


def test_files_of_two_reports_are_distinguished() -> None:
    other = write_report(report(event_id="202406010021"))
    result = read(FILES | {"TSEXPORT.DBF": other["TSEXPORT.DBF"]})
    assert codes(result) == ["event.ids_differ"]
    twice = read(FILES | {"Copy of TSEXPORT.DBF": FILES["TSEXPORT.DBF"]})
    assert codes(twice) == ["file.twice"]


def test_truncated_file_gives_its_rows_and_an_error() -> None:
    cut = FILES["TDEXPORT.DBF"][:-40]
    result = read(FILES | {"TDEXPORT.DBF": cut})
    assert [entry.name for entry in result.reported.sections[0].entries] == [
        "REYES, ANA",
        "COHEN, LEVI",
        "ADEYEMI, TOLU",
    ]
    assert codes(result) == ["dbf.truncated"]


def test_several_events_in_one_file() -> None:
    fields = [Field("H_NAME", "C", 35), Field("H_AFF_ID", "C", 8)]
    two = write_table(fields, [{"H_NAME": "ONE"}, {"H_NAME": "TWO"}])
    result = read(FILES | {"THEXPORT.DBF": two})
    assert result.reported.name == "ONE"
    assert "event.several" in codes(result)


# Refused: within a second, with a reason, and without an exception


def test_count_of_four_billion_is_rejected() -> None:
    data = FILES["TDEXPORT.DBF"]
    data = data[:4] + b"\xff\xff\xff\xff" + data[8:]
    sentences = refused([*(FILES | {"TDEXPORT.DBF": data}).items()])
    assert any("4,294,967,295 records" in sentence for sentence in sentences)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"%PDF-1.7 report", "TDEXPORT.DBF is a PDF."),
        (b"", "TDEXPORT.DBF is empty."),
        (b"pairing,name\n1,Reyes\n", "TDEXPORT.DBF is not a DBF file."),
        (
            write_table([Field("COLOR", "C", 3)], [{"COLOR": "RED"}]),
            "TDEXPORT.DBF has none of the fields of a rating report.",
        ),
    ],
)
def test_file_of_another_kind_is_rejected(data: bytes, reason: str) -> None:
    sentences = refused([*(FILES | {"TDEXPORT.DBF": data}).items()])
    assert any(sentence.startswith(reason) for sentence in sentences)


def test_oversized_uploads_are_rejected() -> None:
    large = FILES["TDEXPORT.DBF"] + b" " * MAX_FILE_BYTES
    assert "TDEXPORT.DBF has 10.0 MB. The limit is 10 MB." in " ".join(
        refused([*(FILES | {"TDEXPORT.DBF": large}).items()])
    )
    assert refused([("a.dbf", large), ("b.dbf", large)]) == [
        "The files are larger than 20 MB in total. Upload the files of one report only."
    ]


def test_more_sections_than_files_in_an_upload_are_read_from_an_archive() -> None:
    table = "No.,Name,Rd 1\n1,Ana,W2\n2,Bo,L1\n"
    sections = {
        f"{number}.csv": f"Section,S{number}\n{table}".encode()
        for number in range(MAX_FILES + 1)
    }
    [sentence] = refused([*sections.items()])
    assert sentence.startswith("You uploaded 11 files. The limit is 10 at a time.")
    assert "one ZIP file" in sentence
    reported = read_report([("may.zip", zipped(sections))]).reported
    assert reported is not None
    names = [section.name for section in reported.sections]
    assert names == [f"S{number}" for number in range(11)]


@pytest.mark.parametrize(
    "name", ["../TDEXPORT.DBF", "/etc/passwd", "a/../../b", "..\\x", "C:\\x.dbf"]
)
def test_archive_with_path_traversal_is_rejected(name: str) -> None:
    [sentence] = refused([("may.zip", zipped(FILES | {name: b"x"}))])
    assert "whose name points outside its folder" in sentence


def test_archive_bomb_is_rejected() -> None:
    bomb = zipped({"TDEXPORT.DBF": bytes(200_000_000)}, compresslevel=1)
    [sentence] = refused([("bomb.zip", bomb)])
    assert sentence.startswith("bomb.zip would unpack to more than 20 MB")


def test_archive_with_an_impossible_ratio_is_rejected() -> None:
    [sentence] = refused([("bomb.zip", zipped({"TDEXPORT.DBF": bytes(5_000_000)}))])
    assert "far larger than a report" in sentence


def test_archive_bomb_of_many_members_is_rejected() -> None:
    noise = random.Random(1).randbytes(20_000)  # the ratio is normal
    members = {f"{n}.dbf": noise * 45 for n in range(24)}
    [sentence] = refused([("bomb.zip", zipped(members))])
    assert sentence.startswith("bomb.zip would unpack to more than 20 MB")


def test_archive_that_lies_about_sizes_is_rejected() -> None:
    data = bytearray(zipped({"TDEXPORT.DBF": bytes(30_000_000)}))
    for signature, offset in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        at = data.index(signature) + offset
        data[at : at + 4] = struct.pack("<I", 1000)
    assert len(refused([("bomb.zip", bytes(data))])) == 1


def test_archive_of_too_many_members_is_rejected() -> None:
    many = zipped({f"{n}.dbf": b"" for n in range(archive.MAX_MEMBERS + 1)})
    [sentence] = refused([("many.zip", many)])
    assert sentence.startswith("many.zip holds more than 50 files")


def test_archive_with_a_password_is_rejected() -> None:
    data = bytearray(zipped(FILES))
    for signature, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = -1
        while (at := data.find(signature, at + 1)) >= 0:
            data[at + offset] |= 1
    assert refused([("may.zip", bytes(data))]) == [
        "may.zip has a password. Pack the files without a password."
    ]


def test_archive_in_an_archive_is_left_aside() -> None:
    nested = zipped(FILES | {"inner.zip": zip_report(report())})
    result = read_report([("may.zip", nested)])
    assert result.reported == report()
    assert codes(result) == ["zip.nested"]
    [sentence] = refused([("out.zip", zipped({"inner.zip": zip_report(report())}))])
    assert sentence.startswith("No report file was uploaded.")


@pytest.mark.parametrize("end", [10, 200, -30, -1])
def test_damaged_archive_is_rejected(end: int) -> None:
    data = zip_report(report())
    sentences = refused([("may.zip", data[:end])])
    assert sentences[0].startswith("may.zip is a ")


def test_names_of_files_are_shown_harmlessly() -> None:
    [sentence, *_] = [
        sentence
        for sentence in refused([("evil\x1b[31m\n.dbf" + "x" * 500, b"nothing")])
        if "we found no results" in sentence
    ]
    assert "\x1b" not in sentence
    assert len(sentence) < 300


@settings(max_examples=example_count(150), deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 10_000), st.integers(0, 255)), max_size=10),
    st.integers(0, 2),
)
def test_mutated_files_are_always_answered(
    changes: list[tuple[int, int]], which: int
) -> None:
    name = list(FILES)[which]
    data = bytearray(FILES[name])
    for offset, byte in changes:
        data[offset % len(data)] = byte
    result = read(FILES | {name: bytes(data)})
    if result.reported is None:
        assert any(finding.severity == Severity.ERROR for finding in result.findings)
    else:
        check_report(result.reported)
        assert ReportedEvent.from_json(result.reported.to_json()) == result.reported


@settings(max_examples=example_count(150), deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 10_000), st.integers(0, 255)), max_size=6),
    st.integers(0, 100_000),
)
def test_mutated_archives_are_always_answered(
    changes: list[tuple[int, int]], end: int
) -> None:
    data = bytearray(zip_report(report()))
    for offset, byte in changes:
        data[offset % len(data)] = byte
    for candidate in (bytes(data), bytes(data[: end % len(data)])):
        result = read_report([("may.zip", candidate)])
        assert result.reported is not None or result.findings


def test_event_of_99_sections() -> None:
    original = report(*(section(number) for number in range(1, 100)))
    result = read(write_report(original))
    assert (result.reported, result.findings) == (original, [])
    assert check_report(original) == []


def test_event_of_4500_players_is_read_and_checked_quickly() -> None:
    original = big_report(4500, 9)
    files = write_report(original)
    with cpu_time() as spent:
        result = read(files)
        findings = check_report(result.reported)
    assert spent.seconds < 3  # 0.4 s on a developer's machine
    assert (result.reported, result.findings, findings) == (original, [], [])


def test_round_columns_beyond_nine_keep_their_order() -> None:
    original = big_report(2, 12)
    edited = original.with_cell(1, 1, 12, parse_cell("H0"))
    assert read(write_report(edited)).reported == edited


def test_member_ids_in_a_numeric_field_get_their_zeros_back() -> None:
    fields = [
        Field("D_SEC_NUM", "N", 2),
        Field("D_PAIR_NUM", "N", 4),
        Field("D_MEM_ID", "N", 11),
        Field("D_RND01", "C", 7),
    ]
    row = {"D_SEC_NUM": "1", "D_PAIR_NUM": "1.0", "D_MEM_ID": "1234567.00"}
    result = read(FILES | {"TDEXPORT.DBF": write_table(fields, [row])})
    [entry] = result.reported.sections[0].entries
    assert (entry.pairing_number, entry.member_id) == (1, "01234567")


def test_event_file_without_a_record() -> None:
    fields = [Field("H_NAME", "C", 35), Field("H_AFF_ID", "C", 8)]
    result = read(FILES | {"THEXPORT.DBF": write_table(fields, [])})
    assert result.reported == ReportedEvent(layout="", sections=report().sections)
    assert "event.no_record" in codes(result)


def test_more_than_99_sections_are_not_read() -> None:
    fields = [Field(name, "C", 5) for name in ("S_SEC_NUM", "S_TIMECTL")]
    rows = [{"S_SEC_NUM": str(number)} for number in range(1, 6_001)]
    result = read(FILES | {"TSEXPORT.DBF": write_table(fields, rows)})
    assert len(result.reported.sections) == 99
    assert "event.too_many_sections" in codes(result)
    fields = [Field(name, "C", 5) for name in ("D_SEC_NUM", "D_PAIR_NUM")]
    rows = [{"D_SEC_NUM": str(number)} for number in range(1, 6_001)]
    result = read(FILES | {"TDEXPORT.DBF": write_table(fields, rows)})
    assert len(result.reported.sections) == 99
    assert "event.too_many_sections" in codes(result)


def test_report_of_45_000_entries_is_rejected_at_once() -> None:
    fields = [Field("D_SEC_NUM", "C", 2), Field("D_PAIR_NUM", "C", 5)]
    rows = [{"D_SEC_NUM": "1", "D_PAIR_NUM": "7"}] * 45_000
    data = write_table(fields, rows)
    with cpu_time() as spent:
        result = read(FILES | {"TDEXPORT.DBF": data})
    assert spent.seconds < 1
    assert result.reported is None
    assert [str(finding) for finding in result.findings] == [
        "TDEXPORT.DBF has more than 6,000 records. No rating report does. Check "
        "that this is the right file, or report the event in parts."
    ]


def test_document_is_distinguished_from_an_archive() -> None:
    text = zipped({"[Content_Types].xml": b"<Types/>", "word/document.xml": b"<w/>"})
    assert refused([("report.docx", text)])[0] == (
        "report.docx is a document, not a ZIP file with a report. Copy its table and "
        "paste it as a wall chart, or export the report from your pairing program."
    )
