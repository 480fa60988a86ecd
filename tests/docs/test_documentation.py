"""The documentation says what is."""

import re
from pathlib import Path

import pytest
from django.conf import settings

ROOT = Path(settings.BASE_DIR)
PAGES = [
    ROOT / "README.md",
    ROOT / "CHANGELOG.md",
    *sorted((ROOT / "docs").glob("*.md")),
]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_and_pictures_lead_somewhere(page):
    targets = re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text())
    local = [target for target in targets if "://" not in target]
    assert [t for t in local if not (page.parent / t).exists()] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_files_and_commands_named_exist(page):
    text = page.read_text()
    targets = set(re.findall(r"^([a-z0-9-]+):", (ROOT / "Makefile").read_text(), re.M))
    commands = {path.stem for path in ROOT.glob("*/**/management/commands/*.py")}
    built_in = {"createsuperuser", "migrate", "shell"}
    assert set(re.findall(r"(?:^|`)make ([a-z0-9-]+)", text, re.M)) <= targets
    assert set(re.findall(r"manage\.py ([a-z_]+)", text)) <= commands | built_in
    named = re.findall(
        r"`((?:ratings|events|players|tests|ratings_site)/[\w./]+)`", text
    )
    assert [name for name in named if not (ROOT / name).exists()] == []


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
