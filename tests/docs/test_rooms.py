"""The rooms and their doors: what the checks of imports refuse."""

import ast
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
APPS = ("events", "players", "ratings")
AT_AN_APPS_ROOT = {"__init__", "apps", "admin", "urls", "access", "signals"}

# Tests that go across the rooms of an app lie loose in its folder.
ACROSS_ROOMS = {
    "ratings_site/common": {"test_translation", "test_wording"},
    "players": {"test_admin", "test_models", "test_people_pages", "test_several"},
    "events": {"test_access", "test_admin", "test_opening"},
    "ratings": set(),
}

# Rooms without Django, a database or a clock, and what each may import of ours besides
# itself. A list of forbidden names cannot say "only"; so the rest is the standard
# library's own list of its modules.
PURE = {
    "ratings/engine": (),
    "ratings/laboratory": ("ratings.engine",),
    "events/importers": ("players.importers",),
    "players/importers": (),
}

# One breach of each kind: where, what is written there, and which contract says so.
BREACHES = (
    ("players/members/queries.py", "import events.models", "Imports run one way"),
    ("events/access.py", "import ratings_site.settings", "never import the roof"),
    (
        "ratings_site/common/audit/services.py",
        "import ratings_site.common.webhooks.services",
        "The foundation's rooms",
    ),
    (
        "players/members/services.py",
        "import players.fide.services.links",
        "The rooms of players",
    ),
    (
        "events/checks/queries/likely.py",
        "import events.reports.services.submissions",
        "The rooms of events",
    ),
    (
        "ratings/ledger/services/order.py",
        "import ratings.rerates.services.starting",
        "The rooms of ratings",
    ),
    ("ratings/engine/systems.py", "import ratings.laboratory", "The rooms of ratings"),
    (
        "ratings/rerates/services/replay.py",
        "import ratings.laboratory.tables",
        "never import the laboratory",
    ),
    (
        "ratings/floors/queries/titles.py",
        "import ratings.floors.services.floors",
        "Inside a room",
    ),
    (
        "ratings/matches/services.py",
        "import ratings.matches.views",
        "Inside a room",
    ),
    ("ratings/floors/helpers.py", "", "Inside a room"),
    ("events/queries_of_all_kinds.py", "", "The rooms of events"),
    ("ratings/api/answers.py", "import ratings.api.events", "Inside the API"),
)


def imported(path: Path, root: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            # Each dot is one folder up, the first the module's own.
            here = path.relative_to(root).parts[: -node.level or None]
            above = here if node.level else ()
            yield ".".join((*above, *([node.module] if node.module else [])))


def impure(root: Path, room: str) -> list[str]:
    """Return what a pure room imports that it may not."""
    ours = (room.replace("/", "."), *PURE[room])
    return [
        f"{path.relative_to(root)}: {name}"
        for path in sorted((root / room).rglob("*.py"))
        for name in imported(path, root)
        if name.split(".")[0] not in sys.stdlib_module_names
        and not any(name == own or name.startswith(f"{own}.") for own in ours)
    ]


@pytest.mark.parametrize("room", PURE)
def test_pure_rooms_import_the_standard_library_and_themselves(room):
    assert impure(ROOT, room) == []


@pytest.mark.parametrize("name", ["numpy", "django.utils", "requests", "events.models"])
@pytest.mark.parametrize("room", PURE)
def test_an_import_from_elsewhere_makes_a_pure_room_impure(room, name, tmp_path):
    (tmp_path / room).mkdir(parents=True)
    (tmp_path / room / "inner.py").write_text(f"def late():\n    import {name}\n")
    assert impure(tmp_path, room) == [f"{room}/inner.py: {name}"]


@pytest.mark.parametrize("app", APPS)
def test_no_module_lies_loose_at_the_root_of_an_app(app):
    assert {path.stem for path in (ROOT / app).glob("*.py")} <= AT_AN_APPS_ROOT


@pytest.mark.parametrize("app", ACROSS_ROOMS)
def test_tests_of_an_app_lie_in_the_rooms_they_test(app):
    tests = ROOT / "tests" / Path(app).name
    folders = {path.parent.name for path in tests.glob("*/test_*.py")}
    assert folders <= {path.name for path in (ROOT / app).iterdir()}
    assert {path.stem for path in tests.glob("test_*.py")} == ACROSS_ROOMS[app]


def lint(root: Path) -> subprocess.CompletedProcess[str]:
    command = "from importlinter.cli import lint_imports_command as c; c()"
    return subprocess.run(
        [sys.executable, "-c", command, "--no-cache"],
        cwd=root,
        capture_output=True,
        text=True,
        check=False,
        env={"PYTHONPATH": str(root), "COLUMNS": "200", "PATH": ""},
    )


def test_each_kind_of_forbidden_import_breaks_its_contract(tmp_path):
    """One copy of the tree holds a breach of every kind, and each is reported."""
    pytest.importorskip("importlinter", reason="needs the development requirements")
    for name in (*APPS, "ratings_site"):
        shutil.copytree(
            ROOT / name,
            tmp_path / name,
            ignore=lambda _folder, names: [n for n in names if n in SKIPPED],
        )
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    for path, line, _contract in BREACHES:
        with (tmp_path / path).open("a") as file:
            file.write(f"\n{line}\n")
    answer = lint(tmp_path)
    assert answer.returncode == 1, answer.stderr
    report = " ".join(answer.stdout.split())
    broken = [c for c in (breach[2] for breach in BREACHES) if c not in report]
    assert broken == []
    missing = [
        line or path
        for path, line, _contract in BREACHES
        if (line.removeprefix("import ") or _module(path)) not in report
    ]
    assert missing == []


SKIPPED = {"__pycache__", "locale", "static"}


def _module(path: str) -> str:
    return path.removesuffix(".py").rpartition("/")[2]
