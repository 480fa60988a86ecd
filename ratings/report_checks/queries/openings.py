"""Whether ratings taken over hold the games of a report already."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from datetime import date

from django.db.models.functions import Coalesce

from events.books.schedules import deciding_control
from events.checks.queries.members import member_ids_of
from events.importers.findings import Finding, Place, found
from events.importers.played import played_games
from events.importers.records import ReportedEntry, ReportedEvent, ReportedSection
from events.importers.sentences import say, say_day, say_in_turn
from players.models import Player
from ratings.engine.rules import NoRuleInForce
from ratings.engine.systems import System
from ratings.engine.time_controls import (
    BadTimeControl,
    NotRatable,
    parse_time_control,
    systems_for,
)
from ratings.models import OpeningEntry

PLAYERS_NAMED = 5
# By member ID and system, the day of the rating taken over.
Openings = Mapping[str, Mapping[str, date]]


def check_openings(reported: ReportedEvent) -> Iterator[Finding]:
    """Find sections that a player's rating taken over holds (three queries).

    Such a rating is as of the last day of the last event in it. What ended by then
    would count twice in the systems that both have.
    """
    openings = _openings_of(reported)
    if not openings:
        return
    for section in reported.sections:
        if held := list(_held(reported, section, openings)):
            yield found(
                "section.in_rating_taken_over",
                Place(section=section.number, field="ends"),
                players=say_in_turn(held[:PLAYERS_NAMED]),
            )


def _held(
    reported: ReportedEvent, section: ReportedSection, openings: Openings
) -> Iterator[str]:
    """Name the players of a section whose rating taken over holds it."""
    _, ends = reported.dates_of(section)
    if ends is None:
        return  # said by the checks of the report itself
    systems = systems_of(reported, section)
    for entry in playing_in(section):
        days = [
            day
            for system, day in openings.get(entry.member_id, {}).items()
            if system in systems and day >= ends
        ]
        if days:
            name = entry.name or entry.member_id
            yield say("{name}: as of {day}.", name=name, day=say_day(max(days)))


def playing_in(section: ReportedSection) -> Iterator[ReportedEntry]:
    """Yield who has a game: a rating is no other for a round without."""
    playing = {
        number for game in played_games(section) for number in (game.first, game.second)
    }
    for entry in section.entries:
        if entry.pairing_number in playing:
            yield entry


def systems_of(reported: ReportedEvent, section: ReportedSection) -> frozenset[System]:
    """Return what a section is rated in; all it could be, as long as none knows."""
    starts, ends = reported.dates_of(section)
    try:
        control = parse_time_control(deciding_control(section))
        return frozenset(
            systems_for(control, online=section.online, day=starts or ends)
        )
    except (BadTimeControl, NotRatable, NoRuleInForce):
        return frozenset(one for one in System if one.is_online == section.online)


def _openings_of(reported: ReportedEvent) -> Openings:
    """Return the days of all opening entries of a member's, merged numbers included."""
    owners = dict(
        Player.objects.filter(member_id__in=member_ids_of(reported)).values_list(
            "member_id", Coalesce("merged_into_id", "pk")
        )
    )
    if not owners:
        return {}
    numbers = {owner: owner for owner in owners.values()}
    numbers |= dict(
        Player.objects.filter(merged_into__in=set(owners.values())).values_list(
            "pk", "merged_into_id"
        )
    )
    days: defaultdict[int, dict[str, date]] = defaultdict(dict)
    for player, system, day in OpeningEntry.objects.filter(
        player__among=list(numbers)
    ).values_list("player_id", "system", "as_of"):
        known = days[numbers[player]]
        known[system] = max(day, known.get(system, day))
    return {
        member_id: days[owner] for member_id, owner in owners.items() if owner in days
    }
