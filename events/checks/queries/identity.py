"""Checks of the identity of players: a wrong ID is the most common error.

Short forms of names, other spellings and a move to another state are notes only. Only
evidence for a different person blocks a report.

Messages stay in English: a TD's override refers to the message it answers.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from events.checks.name_matching import NameMatch, are_neighbors, name_match, slip
from events.checks.queries.likely_members import ADULT, age_this_year, similar_members
from events.formats.findings import Finding, Place, Severity, make_finding
from events.formats.played_games import played_games
from events.formats.report import ReportedEntry, ReportedEvent, ReportedSection
from players.models import Player

# With fewer other players, a section says little about age.
MIN_OTHERS = 6
# One parent among children does not make a section of adults.
MAX_ADULTS = 0.1
# The checks of members report these IDs.
EXCLUDED_STATUSES = (Player.Status.DECEASED, Player.Status.DUPLICATE)


@dataclass(frozen=True, slots=True)
class MatchedEntry:
    """One entry of a report with the member whose ID it has."""

    section: ReportedSection
    entry: ReportedEntry
    player: Player
    name_match: NameMatch

    @property
    def place(self) -> Place:
        return entry_place(self.section, self.entry)

    @property
    def other_state(self) -> str:
        """Return the reported state if the member has another one on record."""
        is_other = self.player.state and self.player.state != self.entry.state
        return self.entry.state if is_other else ""


def entry_place(
    section: ReportedSection, entry: ReportedEntry, field: str = "member_id"
) -> Place:
    return Place("", section.number, entry.pairing_number, field=field)


def matched_entries(
    reported: ReportedEvent, members: dict[str, Player]
) -> list[MatchedEntry]:
    """Return the entries whose ID is that of a member who may play."""
    return [
        MatchedEntry(section, entry, player, name_match(entry.name, player))
        for section in reported.sections
        for entry in section.entries
        if (player := members.get(entry.member_id))
        and player.status not in EXCLUDED_STATUSES
    ]


def check_identities(
    reported: ReportedEvent, members: dict[str, Player]
) -> Iterator[Finding]:
    """Find entries that may be another person's (at most two queries)."""
    seats = matched_entries(reported, members)
    others = _OtherMembers(seats)
    for seat in seats:
        yield from _check_name(seat, others)
        yield from _check_namesake(seat, others)
        yield from _check_state(seat)
    yield from _check_ages(reported, seats)
    yield from _check_two_sections(reported, seats)


class _OtherMembers:
    """Other members of the same names, as candidates for doubtful names."""

    def __init__(self, seats: list[MatchedEntry]) -> None:
        names = {seat.player.search_name for seat in seats}
        self.namesakes: defaultdict[str, list[Player]] = defaultdict(list)
        for player in Player.objects.filter(
            search_name__in=names, merged_into=None
        ).exclude(status=Player.Status.DECEASED):
            self.namesakes[player.search_name].append(player)
        doubtful = [s.entry for s in seats if not s.name_match.is_one_person]
        self.meant = similar_members(doubtful) if doubtful else []

    def with_reported_name(self, seat: MatchedEntry) -> list[Player]:
        """Return other members of the reported name, those with a similar ID first."""
        bearers = [
            player
            for player in self.meant
            if player.member_id != seat.entry.member_id
            and name_match(seat.entry.name, player).is_one_person
        ]
        return sorted(
            bearers, key=lambda one: not slip(seat.entry.member_id, one.member_id)
        )


# Findings by how the names match: spellings of one name, and names that may be another
# member's: a family member, a changed family name or its other bearer, a stranger.
_SPELLINGS = {
    NameMatch.NICKNAME: "member.nickname",
    NameMatch.SOUND: "member.spelled_otherwise",
}
_OTHER_MEMBERS = {
    NameMatch.FAMILY_ONLY: "member.sibling",
    NameMatch.GIVEN_ONLY: "member.other_family_name",
    NameMatch.OTHER: "member.other_name",
}


def _check_name(seat: MatchedEntry, others: _OtherMembers) -> Iterator[Finding]:
    if code := _SPELLINGS.get(seat.name_match):
        name, recorded = seat.entry.name, seat.player.name
        yield make_finding(code, seat.place, name=name, recorded=recorded)
    elif code := _OTHER_MEMBERS.get(seat.name_match):
        yield _other_member(code, seat, others)


def _other_member(name: str, seat: MatchedEntry, others: _OtherMembers) -> Finding:
    """Return a finding that names the ID's member and any member of that name."""
    said: dict[str, Any] = {
        "reported": seat.entry.name,
        "reported_id": seat.entry.member_id,
        "recorded": seat.player.name,
    }
    meant = others.with_reported_name(seat)
    if not meant:
        return make_finding(name, seat.place, **said)
    likely = meant[0]
    difference = slip(seat.entry.member_id, likely.member_id)
    return make_finding(
        f"{name}/slip" if difference else f"{name}/known",
        seat.place,
        name=likely.name,
        member_id=likely.member_id,
        slip=difference,
        **said,
    )


def _check_namesake(seat: MatchedEntry, others: _OtherMembers) -> Iterator[Finding]:
    """Find a namesake who lives in the reported state, unlike this member."""
    state, player = seat.other_state, seat.player
    if not state or not seat.name_match.is_one_person:
        return
    for other in others.namesakes[player.search_name]:
        if other.pk != player.pk and other.state == state:
            yield make_finding(
                "member.namesake",
                seat.place,
                name=player.name,
                member_id=player.member_id,
                state=player.state,
                other_id=other.member_id,
                other_state=state,
            )
            return


def _check_state(seat: MatchedEntry) -> Iterator[Finding]:
    """Report another state as a note, or as a warning if the name differs too."""
    state, player = seat.other_state, seat.player
    if not state:
        return
    sure = seat.name_match in (NameMatch.SAME, NameMatch.PART, NameMatch.SOUND)
    near = are_neighbors(state, player.state)
    yield make_finding(
        "member.other_state",
        entry_place(seat.section, seat.entry, "state"),
        severity=Severity.NOTE if sure or near else Severity.CAUTION,
        state=state,
        name=player.name,
        recorded_state=player.state,
    )


# Age


def _check_ages(
    reported: ReportedEvent, seats: Iterable[MatchedEntry]
) -> Iterator[Finding]:
    """Find an adult among children: a parent's ID in place of the child's."""
    by_section: defaultdict[int, list[MatchedEntry]] = defaultdict(list)
    for seat in seats:
        if seat.player.birth_date is not None:
            by_section[seat.section.number].append(seat)
    for here in by_section.values():
        adults = [seat for seat in here if _is_adult(seat)]
        children = len(here) - len(adults)
        if children >= MIN_OTHERS and len(adults) <= MAX_ADULTS * len(here):
            for seat in adults:
                name = seat.player.name
                yield make_finding(
                    "member.other_age", seat.place, name=name, adult=ADULT
                )


def _is_adult(seat: MatchedEntry) -> bool:
    born = seat.player.birth_date
    return born is not None and age_this_year(born) >= ADULT


# Two places at once


def _check_two_sections(
    reported: ReportedEvent, seats: Iterable[MatchedEntry]
) -> Iterator[Finding]:
    """Find members with games in two sections of the same days.

    The section rater's checks decide whether a day was long enough for both.
    """
    active = {
        (section.number, number)
        for section in reported.sections
        for game in played_games(section)
        for number in (game.first, game.second)
    }
    first: dict[int, MatchedEntry] = {}
    for seat in seats:
        if (seat.section.number, seat.entry.pairing_number) not in active:
            continue
        earlier = first.setdefault(seat.player.pk, seat)
        if earlier.section is not seat.section and _same_days(reported, earlier, seat):
            yield make_finding(
                "member.two_sections",
                seat.place,
                member_id=seat.entry.member_id,
                number=earlier.section.number,
                pairing_number=earlier.entry.pairing_number,
            )


def _same_days(reported: ReportedEvent, one: MatchedEntry, other: MatchedEntry) -> bool:
    starts, ends = reported.dates_of(one.section)
    begins, stops = reported.dates_of(other.section)
    if not (starts and ends and begins and stops):
        return False
    return starts <= stops and begins <= ends
