"""The summary of a report, shown before it is submitted."""

from typing import Any

from events.checks.queries.members import member_ids_of
from events.formats.played_games import played_games
from events.models import Submission
from events.records.section_rater import section_rater
from events.records.services.fees import missing_to_minimum, section_charges, total_of
from events.reports.services.submissions import reported_in


def summary_of(submission: Submission) -> dict[str, Any]:
    """Return what a report contains, when it is rated, and its fee if there are fees.

    *sections* are rows of section, games, rating systems and charge.
    """
    reported = reported_in(submission)
    (impacts,) = section_rater().effects_of([reported])
    charges = section_charges(reported, submission, impacts)
    games = [sum(1 for _ in played_games(section)) for section in reported.sections]
    more = missing_to_minimum(charges.values())
    return {
        "reported": reported,
        "sections": [
            (section, number, impact.systems, charges.get(section.number))
            for section, number, impact in zip(
                reported.sections, games, impacts, strict=True
            )
        ],
        "players": len(member_ids_of(reported)),
        "games": sum(games),
        "waiting": sum(section.has_temporary_ids for section in reported.sections),
        "is_late": any(impact.is_late for impact in impacts),
        "has_fee": bool(charges),
        "fee": total_of(charges.values()) + more,
        "raise_to_minimum": more,
    }
