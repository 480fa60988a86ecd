"""Package boundaries: which imports the contracts refuse."""

import ast
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
APPS = ("events", "players", "ratings")
APP_ROOT_MODULES = {"__init__", "apps", "admin", "urls", "access", "signals"}

# Tests that cross the packages of an app are loose in its folder.
CROSS_PACKAGE_TESTS = {
    "ratings_site/common": {"test_translation", "test_wording"},
    "players": {"test_admin", "test_models", "test_people_pages", "test_bulk_actions"},
    "events": {"test_access", "test_admin", "test_empty_states"},
    "ratings": set(),
}

# Packages without Django, a database or a clock, and which of our packages each may
# import besides itself. A contract can't express "only", so the rest is the standard
# library's own list of modules.
PURE = {
    "ratings/engine": (),
    "ratings/laboratory": ("ratings.engine",),
    "events/formats": ("players.formats",),
    "players/formats": (),
}

# One breach of each kind: where, what is written there, and which contract says so.
BREACHES = (
    ("players/members/queries.py", "import events.models", "Imports run one way"),
    ("events/access.py", "import ratings_site.settings", "apps never import the site"),
    (
        "ratings_site/common/audit/services.py",
        "import ratings_site.common.webhooks.services",
        "Packages of ratings_site.common",
    ),
    (
        "players/members/services.py",
        "import players.fide.services.links",
        "Packages of players",
    ),
    (
        "events/checks/queries/likely_members.py",
        "import events.reports.services.submissions",
        "Packages of events",
    ),
    (
        "ratings/ledger/services/rating_order.py",
        "import ratings.rerates.services.start",
        "Packages of ratings",
    ),
    ("ratings/engine/systems.py", "import ratings.laboratory", "Packages of ratings"),
    (
        "ratings/rerates/services/replay.py",
        "import ratings.laboratory.tables",
        "never import the laboratory",
    ),
    (
        "ratings/decisions/floors/queries/titles.py",
        "import ratings.decisions.floors.services.floors",
        "Inside a package",
    ),
    (
        "ratings/decisions/matches/services.py",
        "import ratings.decisions.matches.views",
        "Inside a package",
    ),
    ("ratings/decisions/floors/helpers.py", "", "Inside a package"),
    ("events/queries_of_all_kinds.py", "", "Packages of events"),
    ("ratings/api/responses.py", "import ratings.api.events", "Inside the API"),
)


def imported(path: Path, root: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            # Each dot is one folder up; the first is the module's own.
            here = path.relative_to(root).parts[: -node.level or None]
            above = here if node.level else ()
            yield ".".join((*above, *([node.module] if node.module else [])))


# Libraries of facts that a pure package may use.
LIBRARIES = {"players/formats": ("pycountry",)}


def impure(root: Path, package: str) -> list[str]:
    """Return the forbidden imports of a pure package."""
    ours = (package.replace("/", "."), *PURE[package], *LIBRARIES.get(package, ()))
    return [
        f"{path.relative_to(root)}: {name}"
        for path in sorted((root / package).rglob("*.py"))
        for name in imported(path, root)
        if name.split(".")[0] not in sys.stdlib_module_names
        and not any(name == own or name.startswith(f"{own}.") for own in ours)
    ]


@pytest.mark.parametrize("package", PURE)
def test_pure_packages_import_the_standard_library_and_themselves(package):
    assert impure(ROOT, package) == []


@pytest.mark.parametrize("name", ["numpy", "django.utils", "requests", "events.models"])
@pytest.mark.parametrize("package", PURE)
def test_an_import_from_elsewhere_makes_a_pure_package_impure(package, name, tmp_path):
    (tmp_path / package).mkdir(parents=True)
    (tmp_path / package / "inner.py").write_text(f"def late():\n    import {name}\n")
    assert impure(tmp_path, package) == [f"{package}/inner.py: {name}"]


@pytest.mark.parametrize("app", APPS)
def test_an_app_root_has_only_the_allowed_modules(app):
    assert {path.stem for path in (ROOT / app).glob("*.py")} <= APP_ROOT_MODULES


@pytest.mark.parametrize("app", CROSS_PACKAGE_TESTS)
def test_tests_of_an_app_mirror_its_packages(app):
    tests = ROOT / "tests" / Path(app).name
    folders = {path.parent.name for path in tests.glob("*/test_*.py")}
    assert folders <= {path.name for path in (ROOT / app).iterdir()}
    assert {path.stem for path in tests.glob("test_*.py")} == CROSS_PACKAGE_TESTS[app]


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
