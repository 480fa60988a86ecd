"""Rating changes by section, for the page of their report."""

from collections import defaultdict
from collections.abc import Collection, Sequence

from django.urls import reverse
from django.utils.translation import gettext

from events.checks.queries.newcomers import reports_with_pending_newcomers
from events.models import Entry, Event, Section
from events.records.section_rater import RatedLine
from ratings.engine.systems import System
from ratings.ledger.queries.published_ratings import published, published_before
from ratings.models import RatingChange


def report_lines(sections: Sequence[Section]) -> dict[int, list[RatedLine]]:
    """Return each section's lines by pairing number (two queries)."""
    by_pk: dict[int | None, Section] = {section.pk: section for section in sections}
    numbers = _numbers(sections)
    lines: defaultdict[int, list[RatedLine]] = defaultdict(list)
    changes = RatingChange.objects.filter(
        calculation__section__in=by_pk, calculation__is_current=True
    ).select_related("calculation", "player")
    for change in changes:
        section = by_pk[change.calculation.section_id]
        number = numbers.get((section.pk, change.player_id), 0)
        lines[section.pk].append(_line(section, number, change))
    for own in lines.values():
        own.sort(key=lambda line: (line.number, line.system))
    return lines


def _numbers(sections: Sequence[Section]) -> dict[tuple[int, int], int]:
    """Return pairing numbers by player; the first one of re-entries and duplicates.

    A line has the person's own number, an entry the one reported.
    """
    numbers: dict[tuple[int, int], int] = {}
    entries = Entry.objects.filter(section__in=sections).order_by("pairing_number")
    for section, number, player, merged_into in entries.values_list(
        "section_id", "pairing_number", "player_id", "player__merged_into_id"
    ):
        numbers.setdefault((section, player), number)
        numbers.setdefault((section, merged_into or player), number)
    return numbers


def _line(section: Section, number: int, change: RatingChange) -> RatedLine:
    system = System(change.calculation.system)
    why = (section.event.event_id, section.number, change.player.member_id, system)
    return RatedLine(
        number=number,
        player=change.player,
        system=gettext(system.label),
        pre=published_before(change),
        post=published(change),
        why_url=reverse("ratings:why", args=why),
    )


def all_rated(sections: Collection[Section]) -> list[Event]:
    """Return the events of these sections that are rated completely."""
    events = {section.event_id: section.event for section in sections}
    unrated = Section.objects.filter(event__in=events).exclude(
        status=Section.Status.RATED
    )
    waiting = set(unrated.order_by().values_list("event__pk", flat=True))
    reports = [event.submission_id for event in events.values()]
    incomplete = reports_with_pending_newcomers(reports)
    return [
        event
        for pk, event in events.items()
        if pk not in waiting and event.submission_id not in incomplete
    ]
