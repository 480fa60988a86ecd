"""The files for a machine in production name settings and commands that there are."""

import re
import shlex
from pathlib import Path

import pytest
from django.core.management import load_command_class

PRODUCTION = Path("docs/production")
UNITS = sorted(PRODUCTION.glob("*.service"))


def test_every_setting_of_the_environment_is_explained():
    named = re.findall(
        r"^([A-Z_]+)=", (PRODUCTION / "ratings-office.env").read_text(), re.M
    )
    explained = Path("docs/operations.md").read_text()
    assert len(named) > 10
    assert [name for name in named if f"`{name}`" not in explained] == []


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.stem)
def test_a_unit_starts_a_command_that_takes_its_options(unit):
    [line] = re.findall(r"^ExecStart=(.*)", unit.read_text(), re.M)
    started = line.replace("%i", "long").replace("${PROCESSES}", "1")
    python, script, name, *options = shlex.split(started)
    assert (Path(python).name, script) == ("python", "manage.py")
    load_command_class("ratings_site", name).create_parser(script, name).parse_args(
        options
    )


def test_the_proxy_passes_what_the_office_takes():
    """A report that is too large gets the office's own sentence, not nginx's."""
    from events.reports.views.desk import MAX_REQUEST_BYTES
    from players.intake.services.receiving import LARGEST_FILE
    from ratings_site.management.commands import serve

    text = (PRODUCTION / "nginx.conf").read_text()
    everywhere, office = (
        int(megabytes) * 2**20
        for megabytes in re.findall(r"client_max_body_size (\d+)m;", text)
    )
    assert everywhere > MAX_REQUEST_BYTES
    assert office > LARGEST_FILE
    timeout = re.search(r'set\("timeout", (\d+)\)', Path(serve.__file__).read_text())
    waits = {int(one) for one in re.findall(r"proxy_read_timeout (\d+)s", text)}
    assert waits == {int(timeout[1]) + 5}
