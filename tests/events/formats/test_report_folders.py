"""Which files of an archive of many reports are one report."""

import io
import zipfile
from pathlib import Path

from events.formats.archive import ReportArchive


def reports_in(folder: Path, *names: str) -> dict[str, list[str]]:
    """Return the reports of an archive with these files, and the files of each."""
    path = folder / "old.zip"
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for name in names:
            archive.writestr(name, name)
    path.write_bytes(data.getvalue())
    with ReportArchive(path, "old.zip") as reports:
        return {
            one.name: [name for name, _content in reports.files_of(one)]
            for one in reports.bundles
        }


def test_a_folder_is_one_report(tmp_path):
    assert reports_in(tmp_path, "open/1.csv", "open/2.csv", "other.trf") == {
        "open": ["1.csv", "2.csv"],
        "other.trf": ["other.trf"],
    }


def test_each_file_in_the_folder_of_a_year_is_a_report(tmp_path):
    names = ("old/1998/a.trf", "old/1998/b.trf", "old/1999-05/a.trf")
    assert reports_in(tmp_path, *names) == {
        "1998/a.trf": ["a.trf"],
        "1998/b.trf": ["b.trf"],
        "1999-05/a.trf": ["a.trf"],
    }


def test_three_files_of_one_report_stay_together_in_the_folder_of_a_year(tmp_path):
    three = [f"1998/x{kind}EXPORT.DBF" for kind in ("TH", "TS", "TD")]
    assert reports_in(tmp_path, *three, "readme/a.csv") == {
        "1998/x": ["xTHEXPORT.DBF", "xTSEXPORT.DBF", "xTDEXPORT.DBF"],
        "readme": ["a.csv"],
    }


def test_a_folder_of_more_files_than_a_report_can_have_holds_a_report_a_file(tmp_path):
    few = [f"tables/{number}.csv" for number in range(50)]
    assert list(reports_in(tmp_path, *few, "a.trf")) == ["tables", "a.trf"]
    assert len(reports_in(tmp_path, *few, "tables/50.csv", "a.trf")) == 52
