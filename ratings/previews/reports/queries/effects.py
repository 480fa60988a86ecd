"""The effects of rating a report: systems, players, and whether it is late."""

from collections.abc import Mapping, Sequence

from events.formats.report import ReportedEvent, ReportedSection
from events.records.section_rater import SectionImpact
from ratings.engine.systems import System
from ratings.ledger.services.rating_order import OrderKey, latest_order_keys
from ratings.models import Calculation
from ratings.previews.reports.queries.openings import owners_of, playing_in, systems_of

# The event gets the next number of its day: last of those with the same dates.
LAST_EVENT_SUFFIX = "~"


def effects_of(reports: Sequence[ReportedEvent]) -> list[list[SectionImpact]]:
    """Return the effects of rating the sections of each report (two queries).

    Whether it is late is as of now, and is checked again, under the lock of the
    ratings, when the section is rated.
    """
    owners = owners_of(reports)
    days = [
        ends
        for reported in reports
        for section in reported.sections
        if (ends := reported.dates_of(section)[1])
    ]
    latest = latest_order_keys(owners.values(), min(days)) if days else {}
    places = {one: latest[owner] for one, owner in owners.items() if owner in latest}
    return [
        [_effect(reported, section, places) for section in reported.sections]
        for reported in reports
    ]


def _effect(
    reported: ReportedEvent, section: ReportedSection, latest: Mapping[str, OrderKey]
) -> SectionImpact:
    starts, ends = reported.dates_of(section)
    own = (ends, Calculation.Rank.SECTION, starts, LAST_EVENT_SUFFIX, section.number)
    systems = sorted(systems_of(reported, section), key=list(System).index)
    return SectionImpact(
        number=section.number,
        systems=tuple(one.label for one in systems),
        main_system=systems[0].value,
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
