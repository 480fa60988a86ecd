"""Officials of a report who play in it, and clerks who may decide on it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from events.checks.queries.members import officials_of
from events.formats.report import ReportedEvent
from events.models import Submission
from events.reports.queries.reports import senders_of
from events.reports.services.submissions import REVIEW, reported_in
from players.models import Player
from ratings_site.common.accounts.queries import permission_holders
from ratings_site.common.models import User


@dataclass(frozen=True, slots=True)
class PlayingDirector:
    """A director or sender of a report who also plays in the event."""

    name: str
    sections: str


def playing_directors(
    submissions: Sequence[Submission],
) -> dict[int, list[PlayingDirector]]:
    """Return by report the directors and senders who play in it (two queries)."""
    members = _sender_member_ids(submissions)
    found = {
        submission.pk: _sections_played_by_directors(
            reported_in(submission),
            {members[one] for one in senders_of(submission) if one in members},
        )
        for submission in submissions
    }
    named = {member_id for sections in found.values() for member_id in sections}
    players = Player.objects.in_bulk(named, field_name="member_id")
    return {
        pk: [
            PlayingDirector(str(players[member_id]), ", ".join(numbers))
            for member_id, numbers in sections.items()
            if member_id in players
        ]
        for pk, sections in found.items()
    }


def _sender_member_ids(submissions: Sequence[Submission]) -> dict[int, str]:
    """Return the member IDs of accounts that sent one of the reports."""
    accounts = {one for submission in submissions for one in senders_of(submission)}
    return dict(
        Player.objects.filter(account__in=accounts).values_list(
            "account_id", "member_id"
        )
    )


def _sections_played_by_directors(
    reported: ReportedEvent, senders: set[str]
) -> Mapping[str, list[str]]:
    """Return the sections in which each of them plays, by member ID."""
    directors = {member_id for _, _, member_id in officials_of(reported)}
    answering = (directors | senders) - {""}
    sections: dict[str, list[str]] = {}
    for section in reported.sections:
        ids = {entry.member_id for entry in section.entries}
        for member_id in sorted(ids & answering):
            sections.setdefault(member_id, []).append(str(section.number))
    return sections


def eligible_reviewers(submission: Submission) -> list[str]:
    """Return some clerks who may accept a report."""
    return permission_holders(
        REVIEW, beside=User.objects.filter(pk__in=senders_of(submission))
    )
