"""Notes of pending rerates: the program’s are translated, what people write is not."""

import pytest

from ratings.models import RerateMark, rerate_mark

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("note", "shown"),
    [
        (
            "May Open, section 1 was reported after later events had been rated.",
            "«May Open, section 1 was reported after later events had been rated.»",
        ),
        (
            "Ann Lee (12000002) was merged into Ann Lee (12000001).",
            "«Ann Lee (12000002) was merged into Ann Lee (12000001).»",
        ),
        (
            "Ann Lee has a Regular floor of 1800 (Money prize) from 2026-05-02.",
            "«Ann Lee has a «Regular» floor of 1800 («Money prize») from May 2, 2026.»",
        ),
        (
            "The Quick rating of Ann Lee was adjusted by the office as of May 2, 2026.",
            "«The «Quick» rating of Ann Lee was adjusted by the office as of May 2, "
            "2026.»",
        ),
        (
            "Ratings now follow the text of 2025-02-10 of the rating system.",
            "«Ratings now follow the text of Feb 10, 2025 of the rating system.»",
        ),
        (
            "May Open, section 1, corrected. Both score sheets show a draw.",
            "May Open, section 1, corrected. Both score sheets show a draw.",
        ),
    ],
    ids=["late", "merge", "floor", "an earlier date", "edition", "correction"],
)
def test_note_of_the_program_is_translated(monkeypatch, note, shown):
    monkeypatch.setattr(rerate_mark, "gettext", lambda pattern: f"«{pattern}»")
    assert RerateMark(note=note).translated_note == shown
