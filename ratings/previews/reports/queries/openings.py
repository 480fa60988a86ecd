"""Check whether imported ratings already include the games of a report."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from datetime import date

from django.db.models.functions import Coalesce

from events.checks.queries.members import member_ids_of
from events.formats.findings import Finding, Place, make_finding
from events.formats.played_games import played_games
from events.formats.report import ReportedEntry, ReportedEvent, ReportedSection
from events.formats.translatable_text import (
    join_translatable,
    translatable,
    translatable_date,
)
from events.records.schedules import deciding_control
from players.models import Player
from ratings.decisions.floors.queries import titles
from ratings.engine.systems import System
from ratings.models import OpeningEntry
from ratings.previews.reports.queries.schedules import systems_of_control

PLAYERS_NAMED = 5
# The day of the imported rating, by member ID and system.
Openings = Mapping[str, Mapping[str, date]]


def check_openings(reported: ReportedEvent) -> Iterator[Finding]:
    """Find sections that a player's imported rating already includes (three queries).

    An imported rating is as of the last day of the last event in it. A section that
    ended by then would count twice in the systems that both have.
    """
    openings = _openings_of(reported)
    if not openings:
        return
    for section in reported.sections:
        if held := list(_held(reported, section, openings)):
            yield make_finding(
                "section.in_rating_taken_over",
                Place(section=section.number, field="ends"),
                players=join_translatable(held[:PLAYERS_NAMED]),
            )


def _held(
    reported: ReportedEvent, section: ReportedSection, openings: Openings
) -> Iterator[str]:
    """Name the players of a section whose imported rating includes it."""
    _, ends = reported.dates_of(section)
    if ends is None:
        return  # reported by the checks of the report itself
    systems = systems_of(reported, section)
    for entry in playing_in(section):
        days = [
            day
            for system, day in openings.get(entry.member_id, {}).items()
            if system in systems and day >= ends
        ]
        if days:
            name = entry.name or entry.member_id
            yield translatable(
                "{name}: as of {day}.", name=name, day=translatable_date(max(days))
            )


def playing_in(section: ReportedSection) -> Iterator[ReportedEntry]:
    """Yield the entries with a game: other entries do not change ratings."""
    playing = {
        number for game in played_games(section) for number in (game.first, game.second)
    }
    for entry in section.entries:
        if entry.pairing_number in playing:
            yield entry


def systems_of(reported: ReportedEvent, section: ReportedSection) -> frozenset[System]:
    """Return the systems of a section; all possible ones while they are unknown."""
    starts, ends = reported.dates_of(section)
    day, control = starts or ends, deciding_control(section)
    known = systems_of_control(control, section.online, day) if day else frozenset()
    return known or frozenset(one for one in System if one.is_online == section.online)


def owners_of(reports: Iterable[ReportedEvent]) -> dict[str, int]:
    """Return the keys of the members by ID; a merged ID gives the current member."""
    named = {one for reported in reports for one in member_ids_of(reported)}
    members = Player.objects.filter(member_id__in=named)
    return dict(members.values_list("member_id", Coalesce("merged_into_id", "pk")))


def _openings_of(reported: ReportedEvent) -> Openings:
    """Return the days of the members' opening entries, including merged numbers."""
    owners = owners_of([reported])
    if not owners:
        return {}
    numbers = titles.owners_of(owners.values())
    days: defaultdict[int, dict[str, date]] = defaultdict(dict)
    for player, system, day in OpeningEntry.objects.filter(
        player__in_array=list(numbers)
    ).values_list("player_id", "system", "as_of"):
        known = days[numbers[player]]
        known[system] = max(day, known.get(system, day))
    return {
        member_id: days[owner] for member_id, owner in owners.items() if owner in days
    }
