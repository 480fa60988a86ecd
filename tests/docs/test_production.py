"""The files for a machine in production name settings and commands that there are."""

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.management import load_command_class

PRODUCTION = Path("docs/production")
PYTHON = str(Path(sys.executable).resolve())
UNITS = sorted(PRODUCTION.glob("*.service"))


def test_every_setting_of_the_environment_is_explained():
    named = re.findall(
        r"^([A-Z_]+)=", (PRODUCTION / "ratings-office.env").read_text(), re.M
    )
    explained = Path("docs/operations.md").read_text()
    assert len(named) > 10
    assert [name for name in named if f"`{name}`" not in explained] == []


def test_the_environment_has_no_key_to_leave_as_it_is():
    lines = (PRODUCTION / "ratings-office.env").read_text().splitlines()
    assert "SECRET_KEY=" in lines


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.stem)
def test_a_unit_starts_a_command_that_takes_its_options(unit):
    [line] = re.findall(r"^ExecStart=(.*)", unit.read_text(), re.M)
    started = line.replace("%i", "long").replace("${PROCESSES}", "1")
    python, script, name, *options = shlex.split(started)
    assert (Path(python).name, script) == ("python", "manage.py")
    load_command_class("ratings_site", name).create_parser(script, name).parse_args(
        options
    )


def test_systemd_knows_all_that_the_units_say(tmp_path, require_services):
    """It ignores unknown keys with a warning, and exits with 0."""
    verify = shutil.which("systemd-analyze")
    if not verify:
        (pytest.fail if require_services else pytest.skip)("needs systemd-analyze")
    for unit in PRODUCTION.glob("ratings-office-*.s*"):
        # Of a template, systemd looks at an instance.
        name = unit.name.replace("@.", "@long.")
        text = unit.read_text().replace("/opt/ratings-office/.venv/bin/python", PYTHON)
        (tmp_path / name).write_text(text)
    verified = subprocess.run(
        [verify, "verify", "--man=no", *sorted(tmp_path.iterdir())],
        capture_output=True,
        text=True,
        check=False,
    )
    assert len(list(tmp_path.iterdir())) > 1
    assert (verified.returncode, verified.stdout + verified.stderr) == (0, "")


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.stem)
def test_what_a_unit_writes_is_for_its_account_only(unit):
    assert "\nUMask=0077\n" in unit.read_text()


def test_the_proxy_waits_longer_than_a_web_process_is_given():
    """Otherwise a slow page, or a page behind a restart, gets nginx's own answer."""
    from ratings_site.management.commands import serve

    source = Path(serve.__file__).read_text()
    request = re.search(r'set\("timeout", (\d+)\)', source)
    waits = re.findall(
        r"proxy_read_timeout (\d+)s", (PRODUCTION / "nginx.conf").read_text()
    )
    assert [int(seconds) for seconds in waits] == [int(request[1]) + 5]


def test_the_proxy_redirects_to_the_office_only_and_answers_no_other_name():
    text = (PRODUCTION / "nginx.conf").read_text()
    service_urls = re.split(r"^server {$", text, flags=re.M)[1:]
    plain = [server for server in service_urls if "listen 80" in server]
    redirects = re.findall(r"return 301 (\S+);", text)
    assert redirects == ["https://ratings.example.org$request_uri"]
    assert ["default_server" in server for server in plain] == [False, True]
    assert "return 444;" in plain[1]
