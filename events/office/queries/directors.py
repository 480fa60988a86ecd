"""Who answers for a report and plays in it, and who may decide on it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from events.importers.records import ReportedEvent
from events.models import Submission
from events.reports.queries.reports import senders_of
from events.reports.services.submissions import REVIEW, reported_in
from players.models import Player
from ratings_site.common.accounts.queries import (
    MOST_NAMED,
    PERMISSIONS,
    are_two_people,
)
from ratings_site.common.models import User


@dataclass(frozen=True, slots=True)
class PlayingDirector:
    """A director of the event, or the sender, who is a player of it as well."""

    name: str
    sections: str


def directors_who_play(
    submissions: Sequence[Submission],
) -> dict[int, list[PlayingDirector]]:
    """Return by report who of those that answer for it plays in it (two queries)."""
    members = _members_who_send(submissions)
    found = {
        submission.pk: _sections_of_those_who_answer(
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


def _members_who_send(submissions: Sequence[Submission]) -> dict[int, str]:
    """Return the member IDs of accounts that sent one of the reports."""
    accounts = {one for submission in submissions for one in senders_of(submission)}
    return dict(
        Player.objects.filter(account__in=accounts).values_list(
            "account_id", "member_id"
        )
    )


def _sections_of_those_who_answer(
    reported: ReportedEvent, senders: set[str]
) -> Mapping[str, list[str]]:
    """Return the numbers of the sections in which each of them plays, by member ID."""
    answering = {
        reported.chief_td_id,
        reported.assistant_td_id,
        *reported.other_td_ids,
        *(each.chief_td_id for each in reported.sections),
        *(each.assistant_td_id for each in reported.sections),
        *senders,
    } - {""}
    sections: dict[str, list[str]] = {}
    for section in reported.sections:
        ids = {entry.member_id for entry in section.entries}
        for member_id in sorted(ids & answering):
            sections.setdefault(member_id, []).append(str(section.number))
    return sections


def who_may_decide(submission: Submission) -> list[str]:
    """Name a few of the office who may accept a report that somebody else may not."""
    first = senders_of(submission)
    senders = User.objects.filter(pk__in=first)
    staff = (
        User.objects.with_perm(REVIEW, backend=PERMISSIONS)
        .filter(is_staff=True)
        .exclude(pk__in=first)
        .order_by("pk")
    )
    able = (
        str(one) for one in staff if all(are_two_people(one, two) for two in senders)
    )
    return list(islice(able, MOST_NAMED))
