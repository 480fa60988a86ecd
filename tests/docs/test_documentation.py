"""The documentation says what is."""

import ast
import doctest
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from pkgutil import resolve_name

import pytest
import yaml
from django.apps import apps
from django.conf import settings

from ratings_site.common.jobs.services import _handlers
from ratings_site.settings import UPLOAD_RETENTION_DEFAULTS
from tests.source_ast import nodes

pytestmark = pytest.mark.xdist_group("what is written")

ROOT = Path(settings.BASE_DIR)
PACKAGES = ("events", "players", "ratings", "ratings_site")
PAGES = [
    ROOT / "README.md",
    ROOT / "CHANGELOG.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "SECURITY.md",
    *sorted((ROOT / "docs").rglob("*.md")),
]


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_and_pictures_lead_somewhere(page):
    targets = re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text())
    local = [target for target in targets if "://" not in target]
    assert [t for t in local if not (page.parent / t).exists()] == []


def test_the_table_of_retention_is_the_setting():
    rows = re.findall(
        r"^\| `(\w+)` \| .* \| (\w+) \|$",
        (ROOT / "docs/privacy.md").read_text(),
        re.M,
    )
    assert rows == [
        (kind, "never" if days is None else str(days))
        for kind, days in UPLOAD_RETENTION_DEFAULTS.items()
    ]


@cache
def modules() -> tuple[Path, ...]:
    """Return the product's Python files, listed once for all pages."""
    return tuple(path for app in PACKAGES for path in (ROOT / app).rglob("*.py"))


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_files_and_commands_named_exist(page):
    text = page.read_text()
    targets = set(re.findall(r"^([a-z0-9-]+):", (ROOT / "Makefile").read_text(), re.M))
    commands = {path.stem for path in modules() if path.parent.name == "commands"}
    built_in = {
        *("collectstatic", "createsuperuser", "makemigrations", "migrate", "shell"),
    }
    assert set(re.findall(r"(?:^|`)make ([a-z0-9-]+)", text, re.M)) <= targets
    assert set(re.findall(r"manage\.py ([a-z_]+)", text)) <= commands | built_in
    named = re.findall(
        r"`((?:ratings|events|players|tests|ratings_site|templates)/[\w./]+)`", text
    )
    assert [name for name in named if not (ROOT / name).exists()] == []
    files = {path.name for path in modules()}
    assert set(re.findall(r"`(\w+\.py)`", text)) <= files | {"manage.py"}


def dotted_names(text: str) -> set[str]:
    """Return what *text* names of ours in backticks, as `players.models.Player`."""
    quoted = " ".join(re.findall(r"`([^`\n]+)`", text))
    return set(re.findall(rf"(?<![\w./@-])(?:{'|'.join(PACKAGES)})\.[\w.]*\w", quoted))


def is_there(name: str) -> bool:
    """Tell whether *name* can be imported, or is a kind of job or a permission."""
    try:
        resolve_name(name)
    except (AttributeError, ImportError):
        return name in _handlers or name in {
            f"{model._meta.app_label}.{codename}"
            for model in apps.get_models()
            for codename, _words in model._meta.permissions
        }
    return True


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_dotted_name_in_the_documents_resolves(page):
    text = page.read_text().split("\n## History\n")[0]  # what was renamed
    assert [n for n in sorted(dotted_names(text)) if not is_there(n)] == []


def test_examples_in_the_walk_through_the_engine_are_right():
    page = ROOT / "docs" / "reading-the-engine.md"
    results = doctest.testfile(str(page), module_relative=False)
    assert results.attempted > 10
    assert results.failed == 0


def test_the_index_leads_to_every_page():
    text = (ROOT / "docs" / "index.md").read_text()
    pages = {path.name for path in (ROOT / "docs").glob("*.md")} - {"index.md"}
    assert pages <= set(re.findall(r"\]\(([\w-]+\.md)\)", text))


def test_hooks_before_a_commit_run_what_make_check_runs():
    """Local commands only: no hook is downloaded."""
    hooks = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())["repos"]
    assert [one["repo"] for one in hooks] == ["local"]
    makefile = (ROOT / "Makefile").read_text().replace("$(BIN)", ".venv/bin")
    for hook in hooks[0]["hooks"]:
        command = hook["entry"].removesuffix(" --force-exclude")
        assert f"{command} " in makefile


def docstrings() -> Iterator[tuple[Path, str]]:
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef)
    for path in modules():
        for node in nodes(path):
            if isinstance(node, kinds):
                yield path.relative_to(ROOT), ast.get_docstring(node) or ""


def test_every_dotted_name_in_docstrings_resolves():
    named = {(path, name) for path, text in docstrings() for name in dotted_names(text)}
    lost = [(str(path), name) for path, name in named if not is_there(name)]
    assert sorted(lost) == []


def test_a_name_that_is_gone_is_found():
    text = (
        "`players.models.Player` and ``events.registry.lost``, not ratings.example.org"
    )
    assert [n for n in dotted_names(text) if not is_there(n)] == [
        "events.registry.lost"
    ]


def test_every_package_is_in_the_tree():
    text = (ROOT / "docs" / "architecture.md").read_text()
    files = {"migrations", "models", "management", "templatetags"}
    parents = [ROOT / "ratings_site/common", *(ROOT / app for app in PACKAGES[:3])]
    names = {path.parent.name for one in parents for path in one.glob("*/__init__.py")}
    assert names
    assert [name for name in sorted(names - files) if f" {name}/" not in text] == []


def test_the_architecture_page_stays_short():
    assert len((ROOT / "docs/architecture.md").read_text().splitlines()) <= 250


def test_every_stylesheet_and_script_is_described():
    text = (ROOT / "docs" / "design.md").read_text()
    files = (ROOT / "ratings_site/static/office").glob("*/*")
    kept = [path.name for path in files if path.suffix in (".css", ".js")]
    assert kept
    assert [name for name in kept if name not in text] == []


def test_every_setting_from_the_environment_is_documented():
    source = (ROOT / "ratings_site" / "settings.py").read_text()
    read = set(re.findall(r'env\.\w+\(\s*"([A-Z_]+)"', source))
    documented = set(
        re.findall(r"^\| `([A-Z_]+)`", (ROOT / "docs/operations.md").read_text(), re.M)
    )
    assert read == documented


def test_every_dependency_has_its_reason():
    text = (ROOT / "docs" / "dependencies.md").read_text().lower().replace("-", " ")
    direct = {
        "django", "django tables2", "django filter", "django htmx", "django allauth",
        "django csp", "django ninja", "environs", "celery", "redis", "hiredis",
        "psycopg", "whitenoise", "gunicorn",
    }  # fmt: skip
    pinned = {
        line.split("==")[0].lower().replace("-", " ")
        for line in (ROOT / "requirements.txt").read_text().splitlines()
        if "==" in line
    }
    assert direct <= pinned
    assert [name for name in direct if name not in text] == []
