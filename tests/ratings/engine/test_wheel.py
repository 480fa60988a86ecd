"""The engine as a wheel, installed into an empty environment."""

import json
import random
import subprocess
import sys
import venv
from pathlib import Path

import pytest

from ratings.engine import ENGINE_VERSION
from ratings.engine.section_json import section_to_json
from ratings.engine.verify import recorded_input
from tests.tools.engine_wheel.__main__ import HERE, IMPORT_NAME, build

ROOT = Path(__file__).parents[3]
SECTIONS = json.loads((ROOT / "tests/data/real-sections.json").read_text())

pytestmark = [pytest.mark.gate, pytest.mark.xdist_group("wheel")]

CHECKS = f"""
import doctest, importlib, pkgutil, sys
import {IMPORT_NAME} as engine
assert "django" not in sys.modules
tried = failed = 0
for found in [engine, *pkgutil.walk_packages(engine.__path__, '{IMPORT_NAME}.')]:
    name = engine.__name__ if found is engine else found.name
    module = importlib.import_module(name)
    result = doctest.testmod(module, optionflags=doctest.ELLIPSIS)
    tried, failed = tried + result.attempted, failed + result.failed
result = doctest.testfile(sys.argv[1], module_relative=False)
assert not failed + result.failed
print(tried, result.attempted)
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory) -> Path:
    """Install the wheel where nothing else is installed; return that Python."""
    folder = tmp_path_factory.mktemp("wheel")
    wheel = build(folder)
    environment = folder / "empty"
    venv.create(environment)
    python = environment / "bin" / "python"
    install = ["-m", "pip", "--python", str(python), "install", "-q", "--no-index"]
    subprocess.run([sys.executable, *install, str(wheel)], check=True)
    return python


def run(python: Path, *arguments: str, text: str = "") -> subprocess.CompletedProcess:
    return subprocess.run(
        [python, "-I", *arguments],
        input=text,
        capture_output=True,
        text=True,
        cwd=python.parent,
    )


def with_decimals(section: dict, seed: int) -> dict:
    """Return the section with ratings between whole numbers."""
    numbers = random.Random(seed)
    players = [
        player
        if player["rating"] is None
        else player | {"rating": player["rating"] + numbers.random()}
        for player in section["players"]
    ]
    return section | {"players": players}


def test_installed_engine_rates_real_sections_to_the_last_bit(installed):
    sections = [
        section_to_json(recorded_input(section), "2025-07-26", number)
        for number, section in enumerate(SECTIONS)
    ]
    sections += [with_decimals(section, section["id"]) for section in sections]
    text = "\n".join(map(json.dumps, sections))

    office = subprocess.run(
        [sys.executable, "manage.py", "rate_section"],
        input=text,
        capture_output=True,
        text=True,
        cwd=ROOT,
    )
    wheel = run(installed, "-m", IMPORT_NAME, text=text)

    assert office.stdout.count("\n") == len(sections)
    assert wheel.stdout == office.stdout
    assert (wheel.stderr, wheel.returncode) == ("", 0)


def test_faults_are_those_of_the_office(installed):
    text = '{"system": "OTBR"}\n[1]\n'

    office = subprocess.run(
        [sys.executable, "manage.py", "rate_section"],
        input=text,
        capture_output=True,
        text=True,
        cwd=ROOT,
    )
    wheel = run(installed, "-m", IMPORT_NAME, text=text)

    assert office.stderr.startswith("line 1: ")
    assert (wheel.stderr, wheel.returncode) == (office.stderr, office.returncode)


def test_examples_of_the_installed_package_and_its_readme_hold(installed):
    result = run(installed, "-c", CHECKS, str(HERE / "README.md"))

    assert (result.returncode, result.stderr) == (0, ""), result.stdout
    tried, tried_in_readme = map(int, result.stdout.split())
    assert tried > 100
    assert tried_in_readme == 7


def test_wheel_needs_no_other_package_and_is_typed(installed):
    show = "from importlib.metadata import files, requires, version"
    package = IMPORT_NAME.replace("_", "-")
    script = (
        f"{show}\nprint(version({package!r}), requires({package!r}), "
        f"any(one.name == 'py.typed' for one in files({package!r})))"
    )

    assert run(installed, "-c", script).stdout == f"{ENGINE_VERSION} None True\n"


def test_same_code_gives_the_same_file(tmp_path):
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()

    assert build(tmp_path / "one").read_bytes() == build(tmp_path / "two").read_bytes()
