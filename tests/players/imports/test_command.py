"""The command that imports a file of members."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from players.imports import base_command
from players.models import Player
from ratings_site.common.approvals.services import approve
from ratings_site.common.jobs import services
from ratings_site.common.jobs.services import run_due_jobs
from ratings_site.common.models import PendingAct
from tests.factories import make_staff
from tests.players.imports.files import ADA, BEN, HEADINGS, as_xlsx

pytestmark = pytest.mark.django_db


def run(path, *options: str) -> tuple[str, str]:
    out, err = StringIO(), StringIO()
    call_command("import_members", str(path), *options, stdout=out, stderr=err)
    return out.getvalue(), err.getvalue()


@pytest.fixture
def path(tmp_path):
    file = tmp_path / "members.csv"
    file.write_text("\n".join([HEADINGS, ADA, BEN, "bad,row"]))
    return file


def test_without_apply_it_says_what_it_would_do(path):
    out, err = run(path)
    assert "3 rows: 2 new, 0 changed, 0 unchanged, 1 rejected." in out
    assert "Line 4: “bad” isn’t a member ID" in err
    assert not Player.objects.exists()


def test_with_apply_it_does_so_once(path):
    out, _ = run(path, "--apply")
    assert "Imported." in out
    assert Player.objects.count() == 2
    out, _ = run(path, "--apply")
    assert "There is nothing to import." in out


def test_it_waits_for_the_worker_that_was_quicker(path, monkeypatch):
    taken = []

    def claim_too_late(job_id):
        taken.append(services.claim(job_id))

    monkeypatch.setattr(base_command, "claim", claim_too_late)
    monkeypatch.setattr(base_command, "sleep", lambda _: services.perform(taken.pop()))
    out, _ = run(path, "--apply")
    assert "Imported." in out
    assert Player.objects.count() == 2


def test_a_spreadsheet_goes_the_same_way(path, tmp_path):
    book = tmp_path / "members.xlsx"
    book.write_bytes(as_xlsx(path.read_text().splitlines()))
    out, err = run(book, "--apply")
    assert "3 rows: 2 new, 0 changed, 0 unchanged, 1 rejected." in out
    assert "Line 4: “bad” isn’t a member ID" in err
    assert Player.objects.count() == 2


def test_a_heading_that_is_missing_ends_with_its_sentence(tmp_path):
    path = tmp_path / "members.csv"
    path.write_text("Nummer,Nachname\n20000001,Adams\n")
    with pytest.raises(
        CommandError, match="The column names in line 1 don’t include: Member ID"
    ):
        run(path, "--apply")
    assert not Player.objects.exists()


def test_what_is_no_table_ends_with_its_sentence(tmp_path):
    path = tmp_path / "members.csv"
    path.write_bytes(b'[{"member_id": "12345678"}]')
    with pytest.raises(CommandError, match="This is JSON, not a table"):
        run(path, "--apply")
    with pytest.raises(CommandError, match=r"nowhere\.csv"):
        run(tmp_path / "nowhere.csv")


def test_a_file_above_the_limits_is_proposed(tmp_path):
    path = tmp_path / "members.csv"
    for state in ("TX", "OK"):
        rows = [f"{20000100 + n},,Family{n},,{state},,,,,," for n in range(30)]
        path.write_text("\n".join([HEADINGS, *rows]))
        if state == "TX":
            run(path, "--apply")
    with pytest.raises(CommandError, match=r"30 of 30 current members change.*--by"):
        run(path, "--apply")
    make_staff("ada")
    out, _ = run(path, "--apply", "--by", "ada")
    assert "It needs a second approval." in out
    assert not Player.objects.filter(state="OK").exists()
    approve(act_id=PendingAct.objects.get().pk, actor=make_staff())
    run_due_jobs()
    assert Player.objects.filter(state="OK").count() == 30


def test_month_or_day_first_is_an_option(tmp_path):
    path = tmp_path / "members.csv"
    path.write_text("ID,Last name,DOB\n20000001,Adams,03/05/2007\n")
    asked = r"03/05/2007.*--days month-first or --days day-first"
    with pytest.raises(CommandError, match=asked):
        run(path, "--apply")
    run(path, "--apply", "--days", "day-first")
    assert str(Player.objects.get().birth_date) == "2007-05-03"


def test_columns_are_mapped_as_on_the_page(tmp_path):
    path = tmp_path / "members.csv"
    path.write_text("Nummer;Zuname\n20000001;Adams\n")
    with pytest.raises(CommandError, match="No such field: surname"):
        run(path, "--column", "Nummer=member_id", "--column", "Zuname=surname")
    run(
        *(path, "--column", "Nummer=member_id"),
        *("--column", "Zuname=family_name", "--apply"),
    )
    assert Player.objects.get().family_name == "Adams"


def test_problems_are_printed_and_answered_by_kind(tmp_path):
    path = tmp_path / "members.csv"
    path.write_text(
        "ID,Last name,Status,DOB\n"
        "20000001,Adams,Lapsed,13/45/2001\n20000002,Bo,Lapsed,\n"
    )
    out, _err = run(path)
    assert "2 rejected: status_unknown:LAPSED (lines 2, 3)" in out
    assert "1 rejected: no_day:birth_date (lines 2)" in out
    with pytest.raises(CommandError, match="choose one of active, inactive"):
        run(path, "--fix", "status_unknown:LAPSED=gone")
    word = "--fix=status_unknown:LAPSED=inactive"
    fixes = [word, "--fix=no_day:birth_date=blank"]
    out, _err = run(path, *fixes)
    assert "Nothing has changed yet." in out
    run(path, *fixes, "--apply")  # the word is known by now
    assert set(Player.objects.values_list("member_id", "status", "birth_date")) == {
        ("20000001", "inactive", None),
        ("20000002", "inactive", None),
    }
    # The next file knows the word.
    path.write_text("ID,Last name,Status\n20000003,Cruz,LAPSED\n")
    out, _err = run(path, word)
    assert "1 new, 0 changed, 0 unchanged, 0 rejected" in out
