"""Which reports of the queue can be accepted with others, and why not the rest."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from events.checks.services import MUST_BE_SETTLED
from events.models import Submission
from events.reports.queries.messages import with_unread
from events.reports.queries.reports import open_tasks, why_not_decide_each
from ratings_site.common.models import User


class Why(StrEnum):
    """Why a report is left out when several are accepted."""

    NOT_THERE = "not_there"
    DECIDED = "decided"
    CHANGED = "changed"
    OWN = "own"
    TAKEN = "taken"
    FINDINGS = "findings"
    LOOK_UP = "look_up"
    UNREAD = "unread"
    REFUSED = "refused"
    NO_TIME = "no_time"


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A report that is not accepted with the others, and why."""

    pk: int
    why: Why
    sentence: str
    submission: Submission | None = None


def with_what_is_open(reports: QuerySet[Submission]) -> QuerySet[Submission]:
    """Give reports what ``left_out`` looks at, without the bulky working copies."""
    return (
        with_unread(reports, for_office=True)
        .select_related("claimed_by", "decided_by")
        .defer("content", "reader_findings")
    )


def left_out(reports: Sequence[Submission], actor: User) -> dict[int, LeftOut]:
    """Return which of these reports *actor* must look at one by one (two queries).

    The others are clean: with the office, nobody's own, not taken by somebody else,
    and with nothing to settle, to look up or to answer. Findings are those counted
    when the report came; to accept it they are found again.
    """
    own = why_not_decide_each(reports, actor)
    looked_up = set(
        open_tasks()
        .filter(submission__in=[report.pk for report in reports])
        .order_by()
        .values_list("submission", flat=True)
    )
    found = (_why_left_out(one, actor, own, looked_up) for one in reports)
    return {one.pk: one for one in found if one}


def clean_in(reports: Sequence[Submission], actor: User) -> list[Submission]:
    """Return the reports that can be accepted with others, in their order."""
    out = left_out(reports, actor)
    return [report for report in reports if report.pk not in out]


def not_there(pks: Iterable[int], found: Collection[int]) -> list[LeftOut]:
    """Return the numbers of which there is no report."""
    sentence = _("There is no report number {number} in the queue.")
    return [
        LeftOut(pk, Why.NOT_THERE, sentence.format(number=pk))
        for pk in pks
        if pk not in found
    ]


def _why_left_out(
    report: Submission, actor: User, own: dict[int, str], looked_up: set[int]
) -> LeftOut | None:
    counts = report.finding_counts
    if report.state != Submission.State.SUBMITTED:
        why, sentence = Why.DECIDED, _decided(report)
    elif report.pk in own:
        why, sentence = Why.OWN, own[report.pk]
    elif report.claimed_by_id not in (None, actor.pk):
        why, sentence = (
            Why.TAKEN,
            _("{name} has taken it.").format(name=report.claimed_by),
        )
    elif any(counts.get(kind) for kind in MUST_BE_SETTLED):
        why, sentence = Why.FINDINGS, _("It has findings that need a look.")
    elif report.pk in looked_up:
        why, sentence = Why.LOOK_UP, _("A foreign rating is still to be looked up.")
    elif report.unread:
        why, sentence = Why.UNREAD, _("The TD has written, and nobody has answered.")
    else:
        return None
    return LeftOut(report.pk, why, sentence, report)


def _decided(report: Submission) -> str:
    if report.state == Submission.State.ACCEPTED:
        sentence = _("It is accepted already, by {name}.")
    elif report.state == Submission.State.RETURNED:
        sentence = _("It is with the TD again: {name} has returned it.")
    else:
        sentence = _("It is not with the office.")
    return sentence.format(name=report.decided_by)
