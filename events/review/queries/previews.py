"""Previews of accepting or returning a report."""

from collections.abc import Iterator, Sequence
from datetime import date

from django.db.models import Count
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from events.formats.report import ReportedEvent
from events.models import Submission
from events.records.section_rater import SectionImpact, section_rater
from events.reports.queries.reports import open_tasks
from events.reports.services.submissions import reported_in
from events.review.queries.directors import PlayingDirector, playing_directors
from ratings_site.common.approvals.preview import PreviewLine, no_approval_line
from ratings_site.common.models import User
from ratings_site.common.ui.formatting import format_day

# Accepting


def acceptance_previews(
    submissions: Sequence[Submission], actor: User
) -> list[tuple[PreviewLine, ...]]:
    """Preview the acceptance of each report, in six queries for all."""
    reports = [reported_in(submission) for submission in submissions]
    playing = playing_directors(submissions)
    to_look_up = dict(
        open_tasks()
        .filter(submission__in=[submission.pk for submission in submissions])
        .order_by()
        .values_list("submission")
        .annotate(Count("pk"))
    )
    effects = section_rater().effects_of(reports)
    marked = section_rater().next_rerate_from()
    return [
        (
            *_section_lines(reported, sections),
            *_date_order_lines(reported, sections, marked),
            *_newcomer_lines(reported),
            *_director_lines(playing[submission.pk]),
            *_lookup_lines(to_look_up.get(submission.pk, 0)),
            *_assignee_lines(submission, actor),
        )
        for submission, reported, sections in zip(
            submissions, reports, effects, strict=True
        )
    ]


def acceptance_notes() -> tuple[PreviewLine, ...]:
    """Return the effects that every acceptance has."""
    return (
        PreviewLine(
            "final", _("Accepting can’t be undone. Fix later errors with a correction.")
        ),
        PreviewLine(
            "alone",
            _("No second approval is needed: the TD sent it and you review it."),
        ),
        PreviewLine("told", _("We notify the sender.")),
    )


def _rated_now(
    reported: ReportedEvent, sections: Sequence[SectionImpact]
) -> list[SectionImpact]:
    """Return the sections that will be accepted: those without new members."""
    waiting = {each.number for each in reported.sections if each.has_temporary_ids}
    return [section for section in sections if section.number not in waiting]


def _section_lines(
    reported: ReportedEvent, sections: Sequence[SectionImpact]
) -> Iterator[PreviewLine]:
    now = _rated_now(reported, sections)
    if not now:
        yield PreviewLine("nothing_rated", _("No section will be rated yet."), "note")
        return
    by_systems: dict[tuple[str, ...], int] = {}
    for section in now:
        by_systems[section.systems] = by_systems.get(section.systems, 0) + 1
    for systems, number in by_systems.items():
        yield PreviewLine(
            "sections",
            ngettext(
                "{number} section: {systems}.", "{number} sections: {systems}.", number
            ).format(number=number, systems=", ".join(map(_, systems))),
        )
    members = len(frozenset().union(*(section.players for section in now)))
    yield PreviewLine(
        "members",
        ngettext(
            "The rating of {number:,} member changes.",
            "The ratings of {number:,} members change.",
            members,
        ).format(number=members),
    )


def _date_order_lines(
    reported: ReportedEvent, sections: Sequence[SectionImpact], marked: date | None
) -> Iterator[PreviewLine]:
    now = _rated_now(reported, sections)
    late = [section.ends for section in now if section.is_late and section.ends]
    if late:
        first = min(late)
        begins = min(first, marked or first)
        yield PreviewLine(
            "late",
            _(
                "Late: a player already has a later rated event. We rate it from "
                "today’s ratings and add a pending rerate on {day}. The next rerate "
                "recalculates everything from {begins}."
            ).format(day=format_day(first), begins=format_day(begins)),
            "warning",
        )
    elif now:
        yield PreviewLine("in_order", _("In date order, so no rerate is needed."))


def _newcomer_lines(reported: ReportedEvent) -> Iterator[PreviewLine]:
    waiting = [each for each in reported.sections if each.has_temporary_ids]
    if waiting:
        yield PreviewLine(
            "waits",
            ngettext(
                "{number} section is waiting for a new member’s ID.",
                "{number} sections are waiting for new members’ IDs.",
                len(waiting),
            ).format(number=len(waiting)),
            "note",
        )


def _director_lines(playing: Sequence[PlayingDirector]) -> Iterator[PreviewLine]:
    for one in playing:
        yield PreviewLine(
            "plays",
            _(
                "{name} is a director of this event and also played in it (section "
                "{sections})."
            ).format(name=one.name, sections=one.sections),
            "warning",
        )


def _lookup_lines(number: int) -> Iterator[PreviewLine]:
    if number:
        yield PreviewLine(
            "look_up",
            ngettext(
                "{number} foreign rating still needs to be looked up. Added after the "
                "event is rated, it won’t affect the event.",
                "{number} foreign ratings still need to be looked up. Added after the "
                "event is rated, they won’t affect the event.",
                number,
            ).format(number=number),
            "warning",
        )


def _assignee_lines(submission: Submission, actor: User) -> Iterator[PreviewLine]:
    if submission.claimed_by_id not in (None, actor.pk):
        yield PreviewLine(
            "taken",
            _("Assigned to {name}. Ask before you decide.").format(
                name=submission.claimed_by
            ),
            "warning",
        )


# Returning


def return_preview(submission: Submission, actor: User) -> tuple[PreviewLine, ...]:
    """Preview the return of a report to its sender (no query)."""
    return (
        *_assignee_lines(submission, actor),
        PreviewLine("leaves", _("The report leaves the queue. Nothing is rated.")),
        PreviewLine(
            "told",
            _(
                "We notify {name}, who sees your note on the report and can "
                "change and submit it again."
            ).format(name=submission.uploaded_by),
        ),
        PreviewLine("handed_in", _("The original submission date is kept.")),
        PreviewLine(
            "final",
            _("You can’t undo this yourself. The sender has to submit it again."),
        ),
        no_approval_line(),
    )
