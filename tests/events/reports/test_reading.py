"""Reading in a sandbox gives the same result, within limits."""

import pytest

from events.formats.dbf.writer import write_report
from events.formats.report_reader import read_report
from events.formats.tables.reader import ColumnAnswer
from events.reports.services import file_reader
from events.reports.services.file_reader import read_files
from players.formats.xlsx_writer import write_xlsx
from tests.events.formats.samples import report, zipped

ROWS = [["?", "Rd 1", "Rd 2"], ["Ana", "W2", "B"], ["Bo", "L1", "H"]]


@pytest.mark.parametrize(
    ("name", "data", "answer"),
    [
        ("may.zip", zipped(write_report(report())), None),
        ("may.xlsx", write_xlsx(ROWS), None),
        ("may.xlsx", write_xlsx(ROWS), ColumnAnswer(("name", "result", "result"))),
        ("may.zip", b"PK\x03\x04 and no end", None),
        ("may.csv", b"Name,Rd 1\n" + b"Ana,B\n" * 20_000, None),
    ],
    ids=["report", "question", "answer", "damaged", "large"],
)
def test_a_process_of_its_own_reads_the_same(name, data, answer):
    files = [(name, data)]
    assert read_files(files, answer) == read_report(files, answer)


def test_a_file_that_asks_for_too_much_is_refused_in_a_sentence(monkeypatch):
    monkeypatch.setattr(file_reader, "SECONDS", 0)
    result = read_files([("may.xlsx", write_xlsx(ROWS))])
    assert result.reported is None
    assert [one.code for one in result.findings] == ["upload.too_much_work"]
