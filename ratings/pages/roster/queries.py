"""The roster check: which member each row of a list means, and what counts that day.

Names and IDs are matched as in reports. A birth year only separates members of one
name, by the age group that a TD sees in a report anyway, so trying years reveals no
more than that; the members' birth dates are never part of the answer.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from enum import StrEnum
from functools import reduce
from operator import or_

from django.contrib.auth.models import AnonymousUser
from django.db.models import Q, TextChoices
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from events.access import is_office, official_of, officials_of
from events.checks.name_matching import NameMatch, name_match, words_of
from events.checks.queries.likely_members import (
    LikelyByEntry,
    age_band,
    likely_members_at,
)
from events.formats.report import ReportedEntry, ReportedEvent, ReportedSection
from events.formats.rosters import RosterRow
from events.models import Official
from players.fide.queries import fide_ratings_on
from players.formats.dates import parse_date
from players.formats.errors import InputRefused
from players.members.queries import (
    is_life_member,
    membership_end,
    same_person_ids,
)
from players.models import Player
from ratings.decisions.floors.queries.life_masters import confirmed_members
from ratings.engine.systems import System
from ratings.ledger.queries.published_ratings import (
    current_published,
    official_number,
)
from ratings.models import OfficialList, OfficialRating
from ratings_site.common.models import User
from ratings_site.common.names.phonetics import searchable
from ratings_site.common.ui.fields import EARLIEST, LATEST
from ratings_site.common.web.files import groups

# The most members that are listed for a row.
MOST_CANDIDATES = 5
# Rows without a member whose likely members are looked for at once.
LIKELY_ROWS = 100
# A list with more of them was made from a wrong file; each costs 15 ms.
MAX_LIKELY_ROWS = 200
FIRST_BIRTH_YEAR = 1900


class RowStatus(TextChoices):
    """What a row means."""

    MATCH = "match", gettext_lazy("Match")
    MERGED = "merged", gettext_lazy("Merged into another ID")
    NEAR_MATCH = "near_match", gettext_lazy("Near match")
    NAMESAKES = "namesakes", gettext_lazy("Several members of this name")
    NOT_FOUND = "not_found", gettext_lazy("Not found")
    INVALID = "invalid", gettext_lazy("Can’t be checked")


class Difference(TextChoices):
    """How a member differs from the row."""

    MEMBER_ID = "member_id", gettext_lazy("other member ID")
    SPELLING = "spelling", gettext_lazy("other spelling")
    NICKNAME = "nickname", gettext_lazy("nickname")
    PART_OF_NAME = "part_of_name", gettext_lazy("part of the name")
    FIRST_NAME = "first_name", gettext_lazy("other first name")
    LAST_NAME = "last_name", gettext_lazy("other last name")
    NAME = "name", gettext_lazy("other name")
    STATE = "state", gettext_lazy("other state")


class RowError(StrEnum):
    """Why a row cannot be checked."""

    EMPTY = "row_is_empty"
    DAY = "day_is_invalid"
    BIRTH_YEAR = "birth_year_is_invalid"
    NOT_SEARCHED = "similar_names_not_searched"


class MembershipStatus(StrEnum):
    """A membership today, as on the member's page."""

    CURRENT = "current"
    LIFE = "life"
    ENDED = "ended"
    NONE = "none"
    NOT_CURRENT = "not_current"
    DECEASED = "deceased"


_NAME_DIFFERENCES = {
    NameMatch.SOUND: Difference.SPELLING,
    NameMatch.NICKNAME: Difference.NICKNAME,
    NameMatch.FAMILY_ONLY: Difference.FIRST_NAME,
    NameMatch.GIVEN_ONLY: Difference.LAST_NAME,
    NameMatch.OTHER: Difference.NAME,
}


@dataclass(frozen=True, slots=True)
class Candidate:
    """A member whom a row may mean, and what differs."""

    player: Player
    differs: tuple[Difference, ...] = ()


@dataclass(frozen=True, slots=True)
class MemberFacts:
    """What a TD needs to know of a member on the day of an event."""

    is_member: bool
    membership: MembershipStatus
    membership_ends: date | None
    official: dict[System, float]
    current: dict[System, float]
    fide_title: str
    is_life_master: bool
    td: Official | None
    is_certified: bool


@dataclass(frozen=True, slots=True)
class RosterLine:
    """The answer for one row."""

    row: RosterRow
    day: date
    status: RowStatus
    differs: tuple[Difference, ...] = ()
    player: Player | None = None
    facts: MemberFacts | None = None
    candidates: list[Candidate] = field(default_factory=list)
    error: RowError | None = None
    sentence: str = ""

    @property
    def has_problem(self) -> bool:
        """Return whether a TD has to look at the row."""
        return bool(
            self.status != RowStatus.MATCH
            or self.differs
            or (self.facts and not self.facts.is_member)
        )


def sees_age_groups(user: User | AnonymousUser) -> bool:
    """Return whether the account sees age groups of likely members in reports."""
    official = official_of(user)
    is_td = official is not None and official.is_certified_on(timezone.localdate())
    return is_td or is_office(user)


def check_roster(
    rows: Sequence[RosterRow], day: date, *, by_age_group: bool = False
) -> list[RosterLine]:
    """Return the answer for each row, in their order.

    *day* is the event day of rows without one. With *by_age_group* birth years separate
    namesakes. The number of queries is the same for any number of rows, but for four
    more for each hundred rows without a member.
    """
    asked = [_asked(row, day) for row in rows]
    found = _Members(asked)
    lines = [
        one if one.error else found.identify(one, by_age_group=by_age_group)
        for one in asked
    ]
    return _with_facts(lines)


def _asked(row: RosterRow, day: date) -> RosterLine:
    """Return the row with its day, or with the error that keeps it from a check."""
    line = RosterLine(row, day, RowStatus.INVALID)
    if not row.member_id.strip() and not words_of(row.name):
        sentence = _("The row has no member ID or name. Enter one of them.")
        return replace(line, error=RowError.EMPTY, sentence=sentence)
    if row.birth_year and not _is_birth_year(row.birth_year):
        sentence = _("The birth year isn’t a year. Write four digits, such as 2011.")
        return replace(line, error=RowError.BIRTH_YEAR, sentence=sentence)
    if not row.day:
        return line
    try:
        day = parse_date(row.day, "day")
    except InputRefused:
        day = date.min
    if not EARLIEST <= day <= LATEST:
        sentence = _("The event day can’t be read. Write it as 2026-11-28.")
        return replace(line, error=RowError.DAY, sentence=sentence)
    return replace(line, day=day)


def _is_birth_year(text: str) -> bool:
    is_year = text.isascii() and text.isdigit() and len(text) == 4
    return is_year and FIRST_BIRTH_YEAR <= int(text) <= timezone.localdate().year


class _Members:
    """The members whom rows name by ID, by their exact name, or nearly."""

    def __init__(self, asked: Sequence[RosterLine]) -> None:
        asked = [line for line in asked if not line.error]
        ids = {line.row.member_id for line in asked} - {""}
        known = Player.objects.filter(member_id__in=ids).select_related("merged_into")
        self.by_id = {player.member_id: player for player in known}
        self.by_words: defaultdict[tuple[str, ...], list[Player]] = defaultdict(list)
        doubtful = [line for line in asked if not self._is_settled(line.row)]
        names = {text for line in doubtful for text in _full_names(line.row.name)}
        for player in _open_members(names):
            self.by_words[_words(_record_name(player))].append(player)
        unknown = [
            line for line in doubtful if not self.by_words.get(_words(line.row.name))
        ]
        self.likely = _likely(unknown[:MAX_LIKELY_ROWS])
        self.not_searched = {line.row.number for line in unknown[MAX_LIKELY_ROWS:]}
        ids = {one for likely in self.likely.values() for one in likely}
        self.likely_by_id = {
            player.member_id: player
            for player in Player.objects.filter(member_id__in=ids)
            if not (player.is_anonymized or player.is_name_hidden)
        }

    def _is_settled(self, row: RosterRow) -> bool:
        player = self.by_id.get(row.member_id)
        return player is not None and (
            not row.name
            or player.is_name_hidden
            or name_match(row.name, player.canonical).is_one_person
        )

    def _bearers(self, row: RosterRow) -> list[Player]:
        """Return the members with exactly this name, but for titles and suffixes."""
        words = _words(row.name)
        if not words:
            return []
        return self.by_words.get(words) or [
            player
            for player in self._likely_players(row)
            if _words(_record_name(player)) == words
        ]

    def _likely_players(self, row: RosterRow) -> list[Player]:
        likely = (self.likely_by_id.get(one) for one in self.likely.get(row.number, []))
        return [player for player in likely if player is not None]

    def identify(self, line: RosterLine, *, by_age_group: bool) -> RosterLine:
        row, player = line.row, self.by_id.get(line.row.member_id)
        if player is not None and (player.merged_into or self._is_settled(row)):
            status = RowStatus.MERGED if player.merged_into else RowStatus.MATCH
            kept = player.canonical
            return _with_member(line, status, kept, _differences(row, kept))
        bearers = _separate(self._bearers(row), row, by_age_group=by_age_group)
        if player is None and not _is_number(row.member_id):
            if len(bearers) == 1:
                return _with_member(line, RowStatus.MATCH, bearers[0], ())
            if bearers:
                return _with_candidates(line, RowStatus.NAMESAKES, bearers)
        own = [player] if player else []
        near = [*own, *bearers, *self._likely_players(row)]
        is_searched = row.number not in self.not_searched
        status = RowStatus.NOT_FOUND if is_searched else RowStatus.INVALID
        line = _with_candidates(line, RowStatus.NEAR_MATCH if near else status, near)
        if is_searched:
            return line
        sentence = _(
            "We look for similar names only for the first {most} players without a "
            "match. Check this player in a shorter list."
        ).format(most=MAX_LIKELY_ROWS)
        return replace(line, error=RowError.NOT_SEARCHED, sentence=sentence)


def _open_members(names: set[str]) -> list[Player]:
    """Return the members of these names who are not merged, deceased or deleted."""
    if not names:
        return []
    named = Q(search_name__in=names) | Q(search_given__in=names)
    found = Player.objects.filter(named).order_by("pk")
    hidden = (Player.Status.DUPLICATE, Player.Status.DECEASED)
    return [
        one
        for one in found
        if one.status not in hidden and not (one.is_anonymized or one.is_name_hidden)
    ]


def _full_names(name: str) -> set[str]:
    """Return the spellings by which the members of a name are looked up.

    >>> sorted(_full_names("Ek, Dr. Bo"))
    ['bo ek', 'ek bo', 'ek dr bo']
    """
    words = words_of(name)
    turned = [*words[-1:], *words[:-1]]
    return {searchable(name), " ".join(words), " ".join(turned)} - {""}


def _record_name(player: Player) -> str:
    return f"{player.family_name} {player.given_name}"


def _words(name: str) -> tuple[str, ...]:
    return tuple(sorted(words_of(name)))


def _is_number(text: str) -> bool:
    """Return whether a text was meant as a member ID, unlike NEW or pending."""
    return any(character.isdecimal() for character in text)


def _likely(lines: Iterable[RosterLine]) -> dict[int, list[str]]:
    """Return the IDs of the likely members by row number, best first."""
    found: dict[int, list[str]] = {}
    for some in groups(lines, LIKELY_ROWS):
        entries = tuple(
            ReportedEntry(
                place,
                member_id=line.row.member_id,
                name=line.row.name,
                state=line.row.state,
            )
            for place, line in enumerate(some, start=1)
        )
        report = ReportedEvent(sections=(ReportedSection(1, entries=entries),))
        likely: LikelyByEntry = likely_members_at(
            report, [(1, entry.pairing_number) for entry in entries]
        )
        for (_section, place), members in likely.items():
            found[some[place - 1].row.number] = [one.member_id for one in members]
    return found


def _separate(
    bearers: list[Player], row: RosterRow, *, by_age_group: bool
) -> list[Player]:
    """Return the bearers of a name in the row's state, if any, and age group.

    An age group counts only if all birth dates are on record and it leaves one member:
    then the answer shows no more than the groups.
    """
    bearers = [one for one in bearers if one.state == row.state] or bearers
    if not (by_age_group and row.birth_year and all(one.birth_date for one in bearers)):
        return bearers
    group = age_band(date(int(row.birth_year), 1, 1))
    same = [one for one in bearers if age_band(one.birth_date) == group]
    return same if len(same) == 1 else bearers


def _differences(
    row: RosterRow, player: Player, *, by_id: bool = True
) -> tuple[Difference, ...]:
    """Return what differs; the name of an ID's member may be part of it."""
    found: list[Difference] = []
    if row.member_id and row.member_id != player.member_id and not by_id:
        found.append(Difference.MEMBER_ID)
    if player.is_name_hidden:  # an answer would confirm the name
        return tuple(found)
    how = name_match(row.name, player)
    if how in _NAME_DIFFERENCES:
        found.append(_NAME_DIFFERENCES[how])
    elif row.name and not by_id and _words(row.name) != _words(_record_name(player)):
        found.append(Difference.PART_OF_NAME)
    if row.state and player.state and row.state != player.state:
        found.append(Difference.STATE)
    return tuple(found)


def _with_candidates(
    line: RosterLine, status: RowStatus, players: Iterable[Player]
) -> RosterLine:
    kept = list(dict.fromkeys(players))[:MOST_CANDIDATES]
    candidates = [
        Candidate(one, _differences(line.row, one, by_id=False)) for one in kept
    ]
    return replace(line, status=status, candidates=candidates)


def _with_member(
    line: RosterLine, status: RowStatus, player: Player, differs: Iterable[Difference]
) -> RosterLine:
    return replace(line, status=status, differs=tuple(differs), player=player)


# What counts on the day


def _with_facts(lines: Sequence[RosterLine]) -> list[RosterLine]:
    """Add the facts about the members of the lines (a fixed number of queries)."""
    found = {line.player.pk for line in lines if line.player}
    if not found:
        return list(lines)
    players = Player.objects.prefetch_related("memberships").in_bulk(found)
    tds = officials_of(pk__in=found)
    official = _official_ratings(
        {(line.player.pk, line.day) for line in lines if line.player}
    )
    current = current_published(players)
    titles = _fide_titles(players.values())
    life_masters = confirmed_members()

    def facts(player: Player, day: date) -> MemberFacts:
        td = tds.get(player.pk)
        is_active = player.status == Player.Status.ACTIVE
        return MemberFacts(
            is_member=is_active and player.was_member_on(day),
            membership=_membership_status(player),
            membership_ends=membership_end(player),
            official=official[player.pk, day],
            current=current[player.pk],
            fide_title=titles.get(player.pk, ""),
            is_life_master=player.pk in life_masters,
            td=td,
            is_certified=td is not None and td.is_certified_on(day),
        )

    return [
        replace(
            line,
            player=players[line.player.pk],
            facts=facts(players[line.player.pk], line.day),
        )
        if line.player
        else line
        for line in lines
    ]


def _membership_status(player: Player) -> MembershipStatus:
    if player.status == Player.Status.DECEASED:
        return MembershipStatus.DECEASED
    if player.status != Player.Status.ACTIVE:
        return MembershipStatus.NOT_CURRENT
    if is_life_member(player):
        return MembershipStatus.LIFE
    ends = membership_end(player)
    if ends is None:
        return MembershipStatus.NONE
    is_current = ends >= timezone.localdate()
    return MembershipStatus.CURRENT if is_current else MembershipStatus.ENDED


def _official_ratings(
    asked: set[tuple[int, date]],
) -> dict[tuple[int, date], dict[System, float]]:
    """Return the ratings on the lists in force by member and day (three queries).

    A member who is on a list only under a merged ID has that ID's ratings.
    """
    lists = list(OfficialList.objects.only("month", "in_force_from"))  # newest first
    in_force = {
        day: next(
            (one.pk for one in lists if one.month <= day and one.starts <= day), None
        )
        for _player, day in asked
    }
    numbers = same_person_ids(player for player, _day in asked)
    owners = {number: kept for kept, own in numbers.items() for number in own}
    on_list: defaultdict[int | None, set[int]] = defaultdict(set)
    for player, day in asked:
        on_list[in_force[day]].update(numbers[player])
    # Not each member on each list: rows may have as many days as members.
    wanted = (Q(list=pk, player__in=own) for pk, own in on_list.items() if pk)
    rows = OfficialRating.objects.filter(reduce(or_, wanted, Q(pk__in=[])))
    listed: defaultdict[tuple[int, int | None], dict[System, float]] = defaultdict(dict)
    for row in rows.order_by(*OfficialRating.KEPT_LAST):
        own = listed[owners[row.player_id], row.list_id]
        own[System(row.system)] = official_number(row)
    return {(player, day): listed[player, in_force[day]] for player, day in asked}


def _fide_titles(players: Iterable[Player]) -> dict[int, str]:
    numbers = {
        one.pk: one.fide_number
        for one in players
        if one.fide_number and not one.is_name_hidden
    }
    known = fide_ratings_on(filter(None, numbers.values()), timezone.localdate())
    return {
        pk: known[number].title for pk, number in numbers.items() if number in known
    }
