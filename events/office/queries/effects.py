"""What will happen: what accepting or returning a report does, said beforehand."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date

from django.db.models import Count
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from events.books.rater import SectionEffect, rater
from events.importers.records import ReportedEvent
from events.models import Submission
from events.office.queries.directors import PlayingDirector, directors_who_play
from events.reports.queries.reports import open_tasks
from events.reports.services.submissions import reported_in
from ratings_site.common.acts.effects import Effect
from ratings_site.common.looks.figures import day_in_words
from ratings_site.common.models import User


@dataclass(frozen=True, slots=True)
class WhatWillHappen:
    """What an act does to one report, and what there is to know before it."""

    submission: Submission
    effects: tuple[Effect, ...]

    @property
    def needs_a_look(self) -> bool:
        return any(effect.level for effect in self.effects)

    @property
    def codes(self) -> list[str]:
        return [effect.code for effect in self.effects]


# Accepting


def of_accepting(
    submissions: Sequence[Submission], actor: User
) -> list[WhatWillHappen]:
    """Say what accepting each of these reports does, in six queries for all."""
    reports = [reported_in(submission) for submission in submissions]
    playing = directors_who_play(submissions)
    to_look_up = dict(
        open_tasks()
        .filter(submission__in=[submission.pk for submission in submissions])
        .order_by()
        .values_list("submission")
        .annotate(Count("pk"))
    )
    effects = rater().effects_of(reports)
    marked = rater().next_rerate_from()
    return [
        WhatWillHappen(
            submission,
            (
                *_of_sections(reported, sections),
                *_of_order(reported, sections, marked),
                *_of_newcomers(reported),
                *_of_directors(playing[submission.pk]),
                *_of_look_ups(to_look_up.get(submission.pk, 0)),
                *_of_holder(submission, actor),
            ),
        )
        for submission, reported, sections in zip(
            submissions, reports, effects, strict=True
        )
    ]


def after_accepting() -> tuple[Effect, ...]:
    """Say what is the same for every report that is accepted."""
    return (
        Effect(
            "final",
            _(
                "Accepting cannot be undone. What turns out to be wrong is put right "
                "by a correction."
            ),
        ),
        Effect(
            "alone",
            _("Two people see to it, the sender and you: nobody else has to agree."),
        ),
        Effect("told", _("The sender is told of it.")),
    )


def _rated_now(
    reported: ReportedEvent, sections: Sequence[SectionEffect]
) -> list[SectionEffect]:
    """Return the sections that enter the books: all but those with newcomers."""
    waiting = {each.number for each in reported.sections if each.waits_for_newcomers}
    return [section for section in sections if section.number not in waiting]


def _of_sections(
    reported: ReportedEvent, sections: Sequence[SectionEffect]
) -> Iterator[Effect]:
    now = _rated_now(reported, sections)
    if not now:
        yield Effect("nothing_rated", _("No section is rated yet."), "note")
        return
    by_systems: dict[tuple[str, ...], int] = {}
    for section in now:
        by_systems[section.systems] = by_systems.get(section.systems, 0) + 1
    for systems, number in by_systems.items():
        yield Effect(
            "sections",
            ngettext(
                "{number} section: {systems}.",
                "{number} sections: {systems}.",
                number,
            ).format(number=number, systems=", ".join(map(_, systems))),
        )
    members = len(frozenset().union(*(section.players for section in now)))
    yield Effect(
        "members",
        ngettext(
            "The rating of {number:,} member changes.",
            "The ratings of {number:,} members change.",
            members,
        ).format(number=members),
    )


def _of_order(
    reported: ReportedEvent, sections: Sequence[SectionEffect], marked: date | None
) -> Iterator[Effect]:
    now = _rated_now(reported, sections)
    late = [section.ends for section in now if section.is_late and section.ends]
    if late:
        first = min(late)
        begins = min(first, marked or first)
        yield Effect(
            "late",
            _(
                "Late: somebody in it has been rated for something later. It is rated "
                "from the ratings of today and leaves a mark on {day}; the next rerate "
                "replays history from {begins} on."
            ).format(day=day_in_words(first), begins=day_in_words(begins)),
            "warning",
        )
    elif now:
        yield Effect("in_order", _("In order: no rerate follows."))


def _of_newcomers(reported: ReportedEvent) -> Iterator[Effect]:
    waiting = [each for each in reported.sections if each.waits_for_newcomers]
    if waiting:
        yield Effect(
            "waits",
            ngettext(
                "{number} section waits for the number of a new member.",
                "{number} sections wait for the numbers of new members.",
                len(waiting),
            ).format(number=len(waiting)),
            "note",
        )


def _of_directors(playing: Sequence[PlayingDirector]) -> Iterator[Effect]:
    for one in playing:
        yield Effect(
            "plays",
            _(
                "{name} answers for this report and plays in it (section {sections})."
            ).format(name=one.name, sections=one.sections),
            "warning",
        )


def _of_look_ups(number: int) -> Iterator[Effect]:
    if number:
        yield Effect(
            "look_up",
            ngettext(
                "{number} foreign rating of it is still to be looked up. Entered after "
                "the event is rated, it does not change it.",
                "{number} foreign ratings of it are still to be looked up. Entered "
                "after the event is rated, they do not change it.",
                number,
            ).format(number=number),
            "warning",
        )


def _of_holder(submission: Submission, actor: User) -> Iterator[Effect]:
    if submission.claimed_by_id not in (None, actor.pk):
        yield Effect(
            "taken",
            _("{name} has taken it to decide it: ask before you do.").format(
                name=submission.claimed_by
            ),
            "warning",
        )


# Returning


def of_returning(submission: Submission, actor: User) -> WhatWillHappen:
    """Say what returning a report to its sender does (no query)."""
    return WhatWillHappen(
        submission,
        (
            *_of_holder(submission, actor),
            Effect(
                "leaves",
                _("It leaves the queue. Nothing of it enters the books."),
            ),
            Effect(
                "told",
                _(
                    "{name} is told, reads your note above the report, and can change "
                    "and submit it again."
                ).format(name=submission.uploaded_by),
            ),
            Effect(
                "handed_in",
                _("The day on which it was first handed in stays."),
            ),
            Effect(
                "final",
                _("You cannot take it back yourself; the sender submits it again."),
            ),
            Effect("alone", _("Nobody else has to agree.")),
        ),
    )
