"""Names that others rely on stay as they were in each release."""

import json
from pathlib import Path

import pytest

from tests.tools.public_names import public_names

pytestmark = pytest.mark.django_db

RELEASES = Path(__file__).parent / "data" / "releases"
# Names removed on purpose, with the version in the changelog.
REMOVED = {
    # The admin's own: without the page of email addresses (1.1).
    "addresses": {
        "/admin/^(?P<app_label>auth|account|common|players|events|ratings)/$",
    },
    # Published numbers need no record of views (1.1).
    "permissions": {
        f"ratings.{action}_seenrating" for action in ("add", "change", "delete", "view")
    },
    # Files are in the storage of uploads, without what was seen (1.1).
    "columns": {
        *("events_foreignfile.content", "events_submissionfile.content"),
        "ratings_gamesfile.content",
        *("ratings_seenrating.games", "ratings_seenrating.id"),
        *("ratings_seenrating.player_id", "ratings_seenrating.rated_on"),
        *("ratings_seenrating.seen", "ratings_seenrating.system"),
        "ratings_seenrating.tells_start",
    },
    "environment variables": {"BIRTH_DATE_WINDOW"},
    # Imports above the limits need a second approval (1.1).
    "commands": {
        f"import_{kind} --yes"
        for kind in ("affiliates", "directors", "history", "members", "ratings")
    },
    "audit codes": {"account.factor_failed", "intake.file_deleted"},
    "finding codes": {"value.date_spelling/trf"},
}


def test_public_names_of_releases_are_kept_but_for_those_removed_on_purpose():
    now = public_names()
    for file in sorted(RELEASES.glob("*-names.json")):
        gone = {
            kind: set(names) - set(now[kind])
            for kind, names in json.loads(file.read_text()).items()
        }
        assert {kind: missing for kind, missing in gone.items() if missing} == REMOVED
