"""Checks of a report that other apps own (they need ratings; ``events`` has none)."""

from collections.abc import Callable, Iterable

from events.importers.findings import Finding
from events.importers.records import EventReport

ReportCheck = Callable[[EventReport], Iterable[Finding]]
report_checks: list[ReportCheck] = []


def report_check(check: ReportCheck) -> ReportCheck:
    """Have *check* run on every report, beside those of ``events``."""
    report_checks.append(check)
    return check
