"""``manage.py read_report``: the readers' results for files, line by line."""

import json
import os
from io import StringIO
from pathlib import Path
from threading import Thread

import pytest
from django.core.management import call_command

from events.formats.dbf.writer import write_report
from tests.events.formats.samples import report

REAL = Path(__file__).parents[2] / "data/real-files"


def read(*names: object, **options: object) -> tuple[int, list[dict]]:
    out, status = StringIO(), 0
    try:
        call_command("read_report", *map(str, names), stdout=out, **options)
    except SystemExit as end:
        status = int(end.code)
    return status, [json.loads(line) for line in out.getvalue().splitlines()]


def cells(line: dict) -> list[list[str]]:
    entries = line["report"]["sections"][0]["entries"]
    return [entry["cells"] for entry in entries]


def test_each_file_has_a_line_with_its_path_as_given(tmp_path):
    for name, data in write_report(report()).items():
        (tmp_path / name).write_bytes(data)
    trf = REAL / "trf/trf-import-test.trf"
    status, lines = read(trf, *tmp_path.iterdir(), tmp_path)
    assert status == 0
    assert [line["file"] for line in lines] == [
        str(trf),
        *map(str, tmp_path.iterdir()),
        str(tmp_path),
    ]
    assert [line["format"] for line in lines] == ["TRF", *["DBF"] * 4]
    assert all(line["report"] == report().to_json() for line in lines[1:])
    assert len(cells(lines[0])) == 16


def test_errors_are_shown_by_code_and_severity(tmp_path):
    (tmp_path / "a.pdf").write_bytes(b"%PDF-1.7")
    status, lines = read(tmp_path / "a.pdf", tmp_path / "none.trf")
    assert status == 1
    assert [(line["report"], line["format"]) for line in lines] == [(None, None)] * 2
    assert [
        (one["code"], one["severity"]) for line in lines for one in line["findings"]
    ] == [("file.not_read", "error"), ("file.unopened", "error")]


def test_every_real_file_is_read_and_nothing_in_it_blocks():
    files = [path for path in REAL.glob("*/**/*") if path.is_file()]
    assert len(files) == 30
    status, lines = read(*files)
    assert status == 0
    assert [line["file"] for line in lines] == list(map(str, files))
    assert all(cells(line) for line in lines)


def test_hostile_names_and_devices_are_answered(tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    for number in range(100):
        (folder / f"{number}.trf").write_bytes(b"012 May Open\n")
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty.trf").touch()
    (tmp_path / os.fsdecode(b"b\xffd.trf")).touch()
    os.mkfifo(tmp_path / "pipe")
    writes = Thread(target=(tmp_path / "pipe").write_bytes, args=[b"Name,Rd 1\nA,B\n"])
    writes.start()
    names = ["empty", "empty.trf", os.fsdecode(b"b\xffd.trf"), "folder", "pipe"]
    given = [*(tmp_path / name for name in names), "/dev/zero", ""]
    status, lines = read(*given)
    writes.join()
    assert status == 1
    assert [{one["code"] for one in line["findings"]} for line in lines] == [
        {"upload.empty"},
        {"file.not_read"},
        {"file.not_read"},
        {"upload.too_many_files"},
        {"table.numbered_in_order"},
        {"upload.too_large"},
        {"file.unopened"},
    ]


def test_program_that_has_read_enough_ends_it_quietly():
    readers, writers = os.pipe()
    os.close(readers)
    with open(writers, "w") as out, pytest.raises(SystemExit) as end:
        call_command("read_report", str(REAL / "trf/2021-03.trf"), stdout=out)
    assert end.value.code == 1


@pytest.mark.parametrize("check", [False, True])
def test_the_report_itself_is_checked_on_request(tmp_path, check):
    """Its one player won a game that the opponent's row does not have."""
    table = tmp_path / "a.csv"
    table.write_bytes(b"No.,Name,Rd 1\n1,Ana,W2\n2,Bo,L1\n3,Cy,W1\n")
    status, [line] = read(table, check=check)
    codes = {one["code"] for one in line["findings"]}
    assert (status == 1, any(code.startswith("result.") for code in codes)) == (
        check,
        check,
    )
