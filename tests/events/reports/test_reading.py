"""Files are read the same in a process of their own, and only so much of it."""

import pytest

from events.importers.dbf.write import write_report
from events.importers.read_report import read_report
from events.importers.tables.read import ColumnAnswer
from events.reports.services import reading
from events.reports.services.reading import read_files
from players.importers.sheets import write_sheet
from tests.events.importers.samples import report, zipped

ROWS = [["?", "Rd 1", "Rd 2"], ["Ana", "W2", "B"], ["Bo", "L1", "H"]]


@pytest.mark.parametrize(
    ("name", "data", "answer"),
    [
        ("may.zip", zipped(write_report(report())), None),
        ("may.xlsx", write_sheet(ROWS), None),
        ("may.xlsx", write_sheet(ROWS), ColumnAnswer(("name", "result", "result"))),
        ("may.zip", b"PK\x03\x04 and no end", None),
        ("may.csv", b"Name,Rd 1\n" + b"Ana,B\n" * 20_000, None),
    ],
    ids=["report", "question", "answer", "damaged", "large"],
)
def test_a_process_of_its_own_reads_the_same(name, data, answer):
    files = [(name, data)]
    assert read_files(files, answer) == read_report(files, answer)


def test_a_file_that_asks_for_too_much_is_refused_in_a_sentence(monkeypatch):
    monkeypatch.setattr(reading, "MEGABYTES", 20)
    result = read_files([("may.xlsx", write_sheet(ROWS))])
    assert result.reported is None
    assert [one.code for one in result.findings] == ["upload.too_much_work"]
