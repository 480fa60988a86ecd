"""What rating a report would do: in which systems, to whom, in order or late."""

from collections.abc import Mapping, Sequence
from datetime import date

from django.db.models import Min
from django.db.models.functions import Coalesce

from events.books.rater import SectionEffect
from events.checks.queries.members import member_ids_of
from events.importers.records import ReportedEvent, ReportedSection
from players.models import Player
from ratings.engine.systems import System
from ratings.ledger.services.order import Place, latest_places
from ratings.models import Calculation, RerateMark
from ratings.report_checks.queries.openings import playing_in, systems_of

# The event gets the next number of its day: the last of what ends and begins with it.
LAST_OF_ITS_DAY = "~"


def effects_of(reports: Sequence[ReportedEvent]) -> list[list[SectionEffect]]:
    """Say of each report what rating its sections would do, in two queries.

    Whether one is late is as of now. It is seen again, under the lock of the ratings,
    when the section is rated.
    """
    named = {one for reported in reports for one in member_ids_of(reported)}
    owners = dict(
        Player.objects.filter(member_id__in=named).values_list(
            "member_id", Coalesce("merged_into_id", "pk")
        )
    )
    days = [
        ends
        for reported in reports
        for section in reported.sections
        if (ends := reported.dates_of(section)[1])
    ]
    latest = latest_places(owners.values(), min(days)) if days else {}
    places = {one: latest[owner] for one, owner in owners.items() if owner in latest}
    return [
        [_effect(reported, section, places) for section in reported.sections]
        for reported in reports
    ]


def _effect(
    reported: ReportedEvent, section: ReportedSection, latest: Mapping[str, Place]
) -> SectionEffect:
    starts, ends = reported.dates_of(section)
    own = (ends, Calculation.Rank.SECTION, starts, LAST_OF_ITS_DAY, section.number)
    systems = systems_of(reported, section)
    return SectionEffect(
        number=section.number,
        systems=tuple(one.label for one in sorted(systems, key=list(System).index)),
        players=frozenset(entry.member_id for entry in playing_in(section)),
        ends=ends,
        is_late=starts is not None
        and ends is not None
        and any(
            latest[entry.member_id] > own
            for entry in section.entries
            if entry.member_id in latest
        ),
    )


def next_rerate_from() -> date | None:
    """Return the day from which a rerate would replay history; none if no mark."""
    return RerateMark.objects.filter(run=None).aggregate(day=Min("from_day"))["day"]
