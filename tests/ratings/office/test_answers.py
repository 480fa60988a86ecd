"""The adapters implement the protocols of players and events."""

import pytest

from events.formats.findings import Finding, Place, Severity
from events.formats.report import ReportedEvent
from events.records.section_rater import section_rater
from ratings.office import adapters

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
        monkeypatch.setattr(adapters, check, lambda report, found=found: found)
    assert list(section_rater().check_report(ReportedEvent())) == [finding]
