"""Who answers what players and events ask of those who rate."""

import pytest

from events.books.rater import rater
from events.importers.findings import Finding, Place, Severity
from events.importers.records import ReportedEvent
from ratings.office import answers

CHECKS = (
    "check_time_controls",
    "check_matches",
    "check_ratings_of_players",
    "check_hours",
    "check_schedules",
)


@pytest.mark.parametrize("name", CHECKS)
def test_every_check_runs_on_every_report(name, monkeypatch):
    finding = Finding(Severity.NOTE, "test.found", Place(), "Found.", "")
    for check in CHECKS:
        found = [finding] if check == name else []
        monkeypatch.setattr(answers, check, lambda report, found=found: found)
    assert list(rater().check_report(ReportedEvent())) == [finding]
