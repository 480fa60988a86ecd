"""Importing a FIDE list from the command line."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from players.models import FideList
from tests.players.fide.fide_files import Person, text_list

pytestmark = pytest.mark.django_db


def run(path, *arguments: str) -> tuple[str, str]:
    out, err = StringIO(), StringIO()
    call_command("import_fide_list", str(path), *arguments, stdout=out, stderr=err)
    return out.getvalue(), err.getvalue()


def test_list_is_read_here_and_now(tmp_path):
    path = tmp_path / "players_list_foa.txt"
    path.write_bytes(text_list([Person(1), Person(2, rating=0)]))
    out, err = run(path, "--date", "2024-05-01")
    assert out.splitlines() == [
        "Importing the FIDE list of May 2024 ...",
        "Current: 2 players, 1 rated, 1 changed, 0 members with a new rating.",
    ]
    assert err == ""


def test_refusal_says_where_and_why(tmp_path, capsys):
    path = tmp_path / "list.txt"
    path.write_bytes(text_list([Person(1), Person(2)])[:-30])
    with pytest.raises(CommandError, match=r"was rejected\. Nothing has changed"):
        run(path, "--date", "2024-05-01")
    assert FideList.objects.get().state == "refused"


def test_what_cannot_be_received_is_an_error(tmp_path):
    with pytest.raises(CommandError, match="No such file"):
        run(tmp_path / "none.txt", "--date", "2024-05-01")
    path = tmp_path / "list.txt"
    path.write_bytes(text_list([Person(1)]))
    with pytest.raises(CommandError, match="starts on the 1st"):
        run(path, "--date", "2024-05-02")
    assert not FideList.objects.exists()
