"""Checks of who the players of a report are: a wrong ID is the commonest error.

Quiet by default: a short form of a name, a name spelled otherwise and a move to another
state are notes. Only what speaks for another person holds a report up.

Sentences stay in one language: a TD's word stands for the sentence it answers.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from events.checks.likeness import Likeness, are_neighbors, likeness, slip
from events.checks.queries.likely import ADULT, age_this_year, members_like
from events.importers.findings import Finding, Place, Severity, found
from events.importers.played import played_games
from events.importers.records import ReportedEntry, ReportedEvent, ReportedSection
from players.models import Player

# Fewer others say little about who plays in a section.
FEWEST_OTHERS = 6
# A parent who fills a seat beside children is no field of adults.
MOST_ADULTS = 0.1
# What is wrong with these numbers is said by the checks of the members.
GONE = (Player.Status.DECEASED, Player.Status.DUPLICATE)


@dataclass(frozen=True, slots=True)
class Seat:
    """One entry of a report with the member whose ID it has."""

    section: ReportedSection
    entry: ReportedEntry
    player: Player
    likeness: Likeness

    @property
    def place(self) -> Place:
        return self.place_of("member_id")

    def place_of(self, field: str) -> Place:
        return Place(
            section=self.section.number,
            pairing_number=self.entry.pairing_number,
            field=field,
        )


def seats_of(reported: ReportedEvent, members: dict[str, Player]) -> list[Seat]:
    """Return the entries with a member who may play; other numbers are said graver."""
    return [
        Seat(section, entry, player, likeness(entry.name, player))
        for section in reported.sections
        for entry in section.entries
        if (player := members.get(entry.member_id)) and player.status not in GONE
    ]


def check_identities(
    reported: ReportedEvent, members: dict[str, Player]
) -> Iterator[Finding]:
    """Find entries that may be somebody else's (at most two queries)."""
    seats = seats_of(reported, members)
    others = _Others(seats)
    for seat in seats:
        yield from _check_name(seat, others)
        yield from _check_namesake(seat, others)
        yield from _check_state(seat)
    yield from _check_ages(reported, seats)
    yield from _check_two_sections(reported, seats)


class _Others:
    """Other members of the same names, and whom the doubtful names may mean."""

    def __init__(self, seats: list[Seat]) -> None:
        names = {seat.player.search_name for seat in seats}
        self.namesakes: defaultdict[str, list[Player]] = defaultdict(list)
        for player in Player.objects.filter(
            search_name__in=names, merged_into=None
        ).exclude(status=Player.Status.DECEASED):
            self.namesakes[player.search_name].append(player)
        doubtful = [s.entry for s in seats if not s.likeness.is_one_person]
        self.meant = members_like(doubtful) if doubtful else []

    def named(self, seat: Seat) -> list[Player]:
        """Return the other members of the reported name, slips of the ID first."""
        bearers = [
            player
            for player in self.meant
            if player.member_id != seat.entry.member_id
            and likeness(seat.entry.name, player).is_one_person
        ]
        return sorted(
            bearers, key=lambda one: not slip(seat.entry.member_id, one.member_id)
        )


def _check_name(seat: Seat, others: _Others) -> Iterator[Finding]:
    checks = {
        Likeness.NICKNAME: _nickname,
        Likeness.SOUND: _spelled_otherwise,
        Likeness.FAMILY_ONLY: _sibling,
        Likeness.GIVEN_ONLY: _other_family_name,
        Likeness.OTHER: _other_name,
    }
    if check := checks.get(seat.likeness):
        yield check(seat, others)


def _nickname(seat: Seat, others: _Others) -> Finding:
    return found(
        "member.nickname", seat.place, name=seat.entry.name, recorded=seat.player.name
    )


def _spelled_otherwise(seat: Seat, others: _Others) -> Finding:
    return found(
        "member.spelled_otherwise",
        seat.place,
        name=seat.entry.name,
        recorded=seat.player.name,
    )


def _sibling(seat: Seat, others: _Others) -> Finding:
    """Somebody else of the family: certain only if the books know him or her."""
    return _somebody_else("member.sibling", seat, others)


def _other_family_name(seat: Seat, others: _Others) -> Finding:
    """A family name may have changed, unless somebody else bears the reported one."""
    return _somebody_else("member.other_family_name", seat, others)


def _other_name(seat: Seat, others: _Others) -> Finding:
    return _somebody_else("member.other_name", seat, others)


def _somebody_else(name: str, seat: Seat, others: _Others) -> Finding:
    """Say whom the number means, and if known who bears the reported name."""
    said = {
        "reported": seat.entry.name,
        "reported_id": seat.entry.member_id,
        "recorded": seat.player.name,
    }
    meant = others.named(seat)
    if not meant:
        return found(name, seat.place, **said)
    likely = meant[0]
    difference = slip(seat.entry.member_id, likely.member_id)
    return found(
        f"{name}/slip" if difference else f"{name}/known",
        seat.place,
        name=likely.name,
        member_id=likely.member_id,
        slip=difference,
        **said,
    )


def _check_namesake(seat: Seat, others: _Others) -> Iterator[Finding]:
    """Find a namesake who lives where the report says, while this member does not."""
    state, player = seat.entry.state, seat.player
    if not state or not player.state or state == player.state:
        return
    if not seat.likeness.is_one_person:
        return
    for other in others.namesakes[player.search_name]:
        if other.pk != player.pk and other.state == state:
            yield found(
                "member.namesake",
                seat.place,
                name=player.name,
                member_id=player.member_id,
                state=player.state,
                other_id=other.member_id,
                other_state=state,
            )
            return


def _check_state(seat: Seat) -> Iterator[Finding]:
    """Note another state; with a name that agrees only in part it is a caution."""
    state, player = seat.entry.state, seat.player
    if not state or not player.state or state == player.state:
        return
    sure = seat.likeness in (Likeness.SAME, Likeness.SOUND)
    near = are_neighbors(state, player.state)
    yield found(
        "member.other_state",
        seat.place_of("state"),
        severity=Severity.NOTE if sure or near else Severity.CAUTION,
        state=state,
        name=player.name,
        recorded_state=player.state,
    )


# Age


def _check_ages(reported: ReportedEvent, seats: Iterable[Seat]) -> Iterator[Finding]:
    """Find an adult among children: a parent's ID in place of the child's."""
    by_section: defaultdict[int, list[Seat]] = defaultdict(list)
    for seat in seats:
        if seat.player.birth_date is not None:
            by_section[seat.section.number].append(seat)
    for here in by_section.values():
        adults = [seat for seat in here if _is_adult(seat)]
        children = len(here) - len(adults)
        if children >= FEWEST_OTHERS and len(adults) <= MOST_ADULTS * len(here):
            yield from map(_adult_among_children, adults)


def _is_adult(seat: Seat) -> bool:
    born = seat.player.birth_date
    return born is not None and age_this_year(born) >= ADULT


def _adult_among_children(seat: Seat) -> Finding:
    return found("member.other_age", seat.place, name=seat.player.name, adult=ADULT)


# Two places at once


def _check_two_sections(
    reported: ReportedEvent, seats: Iterable[Seat]
) -> Iterator[Finding]:
    """Note members with games in two sections of the same days.

    Whether the day was long enough for both is for the checks that know the clock.
    """
    active = {
        (section.number, number)
        for section in reported.sections
        for game in played_games(section)
        for number in (game.first, game.second)
    }
    first: dict[int, Seat] = {}
    for seat in seats:
        if (seat.section.number, seat.entry.pairing_number) not in active:
            continue
        earlier = first.setdefault(seat.player.pk, seat)
        if earlier.section is not seat.section and _same_days(reported, earlier, seat):
            yield found(
                "member.two_sections",
                seat.place,
                member_id=seat.entry.member_id,
                number=earlier.section.number,
                pairing_number=earlier.entry.pairing_number,
            )


def _same_days(reported: ReportedEvent, one: Seat, other: Seat) -> bool:
    starts, ends = reported.dates_of(one.section)
    begins, stops = reported.dates_of(other.section)
    if None in (starts, ends, begins, stops):
        return False
    return starts <= stops and begins <= ends
