"""Checks at the end: lost and duplicate results."""

import json
import re
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from tests.tools.chaos.fault_injection import OfficeUnderTest

# What a blow leaves in a log. Anything else that was raised is a fault of ours.
EXPECTED_ERRORS = re.compile(
    r"OperationalError|InterfaceError|AdminShutdown|IdleInTransaction|RatingsBusy"
    r"|ConnectionError|ConnectionResetError|BrokenPipeError|WorkerLostError"
    r"|SystemExit|KeyboardInterrupt|EOFError|WorkerShutdown|redis\.exceptions"
)
RAISED = re.compile(
    r"^(?:[a-z_]\w*\.)*[A-Z]\w*(?:Error|Exception|Lost|Busy|Failed)\b.*"
)
LOGGED = re.compile(r"^[0-9]{4}(-[0-9]{2}){2} .* \[[0-9a-f-]+\] ")
NUMBERS = re.compile(r"[0-9]+")
LATENCY = """
SELECT coalesce(percentile_cont(ARRAY[0.5, 0.95, 1]) WITHIN GROUP (
    ORDER BY extract(epoch FROM finished_at - created_at)), ARRAY[0, 0, 0])
FROM common_job WHERE kind = 'ratings.rate_section' AND state = 'done'
"""
TWICE = """
SELECT count(*) FROM (
    SELECT 1 FROM ratings_calculation c JOIN ratings_run r ON r.id = c.run_id
    WHERE c.section_id IS NOT NULL AND r.kind = 'incremental'
    GROUP BY c.section_id, c.system, c.section_version HAVING count(*) > 1
    UNION ALL
    SELECT 1 FROM ratings_calculation WHERE section_id IS NOT NULL AND is_current
    GROUP BY section_id, system HAVING count(*) > 1
) AS twice
"""
UNRATED = """
SELECT count(*) FROM events_section s WHERE NOT EXISTS (
    SELECT 1 FROM ratings_calculation c WHERE c.section_id = s.id AND c.is_current)
"""
FAILED_JOBS = "SELECT kind, attempts, message FROM common_job WHERE state = 'failed'"
OPEN_JOBS = """
SELECT count(*) FROM common_job
WHERE state = 'running' OR state = 'queued' AND run_after < now() + interval '1 minute'
"""
DEADLOCKS = "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()"


@dataclass
class Journal:
    """Return the lines that all processes have logged."""

    outcome_counts: Counter[tuple[str, str]] = field(default_factory=Counter)
    sections: list[int] = field(default_factory=list)
    corrections: list[int] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    refusals: Counter[str] = field(default_factory=Counter)

    @classmethod
    def read(cls, path: Path) -> "Journal":
        journal = cls()
        for line in map(json.loads, path.read_text().splitlines()):
            journal.outcome_counts[line["act"], line["came"]] += 1
            if line["came"] == "fault":
                journal.faults.append(f"{line['act']}: {line['why']}")
            elif line["came"] == "refused":
                sentence = NUMBERS.sub("#", line["why"])[:100]
                journal.refusals[f"{line['act']}: {sentence}"] += 1
            elif line["came"] == "done" and line["act"] == "accept":
                journal.sections += line["what"]
            elif line["came"] == "done" and line["act"] == "correct":
                journal.corrections.append(line["what"])
        return journal


def count_missing(
    office: OfficeUnderTest, table: str, promised: list[int], where: str
) -> int:
    """Count logged results that are not in the database."""
    kept = office.rows(f"SELECT id FROM {table} WHERE {where}")  # noqa: S608 (ours)
    return len(set(promised) - {pk for (pk,) in kept})


def verify(office: OfficeUnderTest, journal: Journal) -> tuple[dict[str, float], bool]:
    """Return the figures, and whether nothing is lost, twice or left lying."""
    p50, p95, slowest = office.ask(LATENCY)
    must_be_zero = {
        "twice": office.ask(TWICE),
        "lost": count_missing(office, "events_section", journal.sections, "true")
        + count_missing(
            office,
            "events_correctionrequest",
            journal.corrections,
            "state = 'approved'",
        ),
        "not_rated": office.ask(UNRATED),
        "jobs_failed": len(office.rows(FAILED_JOBS)),
        "jobs_open": office.ask(OPEN_JOBS),
        "marks_open": office.ask(
            "SELECT count(*) FROM ratings_reratemark WHERE run_id IS NULL"
        ),
        "faults": len(journal.faults),
    }
    figures = {
        "accepted": office.ask("SELECT count(*) FROM events_section"),
        "rated": office.ask(
            "SELECT count(*) FROM events_section WHERE status = 'rated'"
        ),
        **must_be_zero,
        "deadlocks": office.ask(DEADLOCKS),
        "accepted_to_rated_p50": round(p50, 2),
        "accepted_to_rated_p95": round(p95, 2),
        "accepted_to_rated_slowest": round(slowest, 2),
    }
    return figures, not any(must_be_zero.values())


def log_of_request(folder: Path, request: str) -> str:
    """Return the log lines and the exception of a request."""
    found, is_wanted = [], False
    for line in (folder / "web.log").read_text(errors="replace").splitlines():
        if LOGGED.match(line):
            is_wanted = f"[{request}]" in line
        if is_wanted:
            found.append(line)
    return "\n".join(found)


def unexpected_errors(folder: Path) -> Counter[str]:
    """Return what the office's processes raised that no blow explains."""
    found: Counter[str] = Counter()
    for log in folder.glob("*.log"):
        for line in log.read_text(errors="replace").splitlines():
            if RAISED.match(line) and not EXPECTED_ERRORS.search(line):
                found[f"{log.stem}: {line[:200]}"] += 1
    return found
