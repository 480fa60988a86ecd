"""FIDE title norms in one of our sections, as far as our data show.

Opponents' ratings, titles and federations come from FIDE's list in force on the
section's first day, for members who are linked to a FIDE ID. The others are unknown.
The page takes at most three queries more than the crosstable.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any, Final

from django.utils.translation import gettext_lazy

from events.formats.played_games import HALF_POINTS
from events.models import Section, UnplayedRound
from players.fide.queries import fide_ratings_on, newest_list, sexes_by_fide_id
from players.models import Player
from ratings.engine.norms import FIDE_NORM_GAMES
from ratings.engine.systems import System
from ratings.laboratory.fide_norms import (
    NORMS,
    UNKNOWN_PLAYER,
    Assessment,
    Check,
    Conditions,
    FidePlayer,
    Format,
    Norm,
    NormGame,
    Rule,
    assess,
    is_federation_rule_waived,
)
from ratings.pages.crosstable.queries.crosstable import (
    Crosstable,
    CrosstableRow,
    Side,
    Unplayed,
)
from ratings.research.systems.queries.section import section_minutes

HOST: Final = "USA"
MIN_MINUTES: Final = 120
"""The time for 60 moves that a title tournament gives (1.1.3)."""

FORMATS: Final = {
    Section.Kind.SWISS: Format.SWISS,
    Section.Kind.ROUND_ROBIN: Format.ROUND_ROBIN,
    Section.Kind.DOUBLE_ROUND_ROBIN: Format.DOUBLE_ROUND_ROBIN,
}
"""The kinds of our sections in which norms can be made (1.4.2e)."""

RULES: Final = {
    Rule.GAMES: gettext_lazy("Games"),
    Rule.FEDERATIONS: gettext_lazy("Other federations"),
    Rule.OWN_FEDERATION: gettext_lazy("From the player’s federation"),
    Rule.ONE_FEDERATION: gettext_lazy("From any one federation"),
    Rule.HOLDERS: gettext_lazy("Titled opponents"),
    Rule.TITLES: gettext_lazy("Opponents with this title or higher"),
    Rule.AVERAGE: gettext_lazy("Average"),
    Rule.SCORE: gettext_lazy("Score"),
    Rule.PERFORMANCE: gettext_lazy("Performance"),
}
MOST: Final = frozenset({Rule.OWN_FEDERATION, Rule.ONE_FEDERATION})
"""The rules whose number must not be passed."""


@dataclass(frozen=True, slots=True)
class NormLine:
    """A player's norm checks for one title."""

    row: CrosstableRow
    fide: FidePlayer
    assessment: Assessment
    checks: list[dict[str, Any]]
    unknown: int
    left_out: int
    raised: str

    @property
    def holds(self) -> bool | None:
        return self.assessment.holds


@dataclass(frozen=True, slots=True)
class SectionNorms:
    """The norms of a section toward one title."""

    norm: Norm
    lines: list[NormLine]
    linked: int
    players: int
    has_list: bool
    is_open: bool

    @property
    def made(self) -> list[NormLine]:
        return [line for line in self.lines if line.holds]


def denial_reason(table: Crosstable) -> str:
    """Return why no norm can be made in a section, as a code; empty if one can.

    *unrated* until it is rated here, else *system*, *kind*, *time* or *rounds*.
    """
    section = table.section
    if not table.is_rated:
        return "unrated"
    if System.OTBR not in table.systems:
        return "system"
    if section.kind not in FORMATS:
        return "kind"
    minutes = section_minutes(section)
    if minutes and minutes < MIN_MINUTES:
        return "time"
    return "rounds" if table.rounds < FIDE_NORM_GAMES else ""


def norms_of(table: Crosstable, title: str) -> SectionNorms:
    """Return who made a norm of *title* in a section. Raises NoRuleInForce."""
    norm = NORMS[title]
    numbers, hidden = _fide_numbers(table)
    known = _fide_players(table, numbers)
    field = _Field.of(table, known, hidden)
    rows = table.rows
    if norm.for_women:
        sexes = sexes_by_fide_id(numbers.values())
        women = {player for player, one in numbers.items() if sexes.get(one) == "F"}
        rows = [row for row in rows if row.player_id in women]
    lines = [_line(field, row, norm) for row in rows]
    linked = sum(one.is_known for one in known.values())
    return SectionNorms(
        norm=norm,
        lines=[line for line in lines if line is not None],
        linked=linked,
        players=len(known),
        has_list=linked > 0 or newest_list() is not None,
        is_open=field.is_open,
    )


def _fide_numbers(table: Crosstable) -> tuple[dict[int, int], set[int]]:
    """Return the FIDE IDs of those who are linked, by player, and the hidden players.

    Title and federation would find a hidden player in FIDE's list.
    """
    people = {row.player_id for row in table.rows}
    linked = Player.objects.filter(pk__in=people).exclude(fide_id=None)
    found = list(linked.only("fide_id", "is_private", "merged_into"))
    numbers = {one.pk: number for one in found if (number := one.fide_number)}
    return numbers, {one.pk for one in found if one.is_name_hidden}


def _fide_players(
    table: Crosstable, numbers: Mapping[int, int]
) -> dict[int, FidePlayer]:
    """Return all players' entries on FIDE's list of the section's first day."""
    values = fide_ratings_on(numbers.values(), table.section.starts)
    found = {row.player_id: UNKNOWN_PLAYER for row in table.rows}
    for player, number in numbers.items():
        value = values.get(number)
        if value is not None:
            found[player] = FidePlayer(value.rating, value.title, value.federation)
    return found


@dataclass(frozen=True, slots=True)
class _Field:
    """A section for norms: rows by number, and FIDE entries by player."""

    table: Crosstable
    rows: Mapping[int, CrosstableRow]
    names: Mapping[Hashable, str]
    known: Mapping[int, FidePlayer]
    hidden: Set[int]
    format: Format
    is_open: bool

    @classmethod
    def of(
        cls, table: Crosstable, known: Mapping[int, FidePlayer], hidden: Set[int]
    ) -> _Field:
        there = [known[row.player_id] for row in table.rows if _attended(table, row)]
        format = FORMATS[Section.Kind(table.section.kind)]
        return cls(
            table,
            {row.number: row for row in table.rows},
            {row.player_id: row.name for row in table.rows},
            known,
            hidden,
            format,
            format is Format.SWISS and is_federation_rule_waived(there, HOST),
        )


def _attended(table: Crosstable, row: CrosstableRow) -> bool:
    """Return whether a player missed at most one round, allotted byes aside."""
    present = [
        cell
        for cell in row.cells.values()
        if isinstance(cell, Side) or cell.kind == UnplayedRound.Kind.FULL_POINT_BYE
    ]
    return len(present) >= table.rounds - 1


def _line(field: _Field, row: CrosstableRow, norm: Norm) -> NormLine | None:
    own = field.known[row.player_id]
    if own.title in norm.titles:
        return None  # title holders need no norm
    games = list(_games(field, row))
    conditions = Conditions(
        day=field.table.section.starts,
        federation=own.federation,
        format=field.format,
        is_excused=field.table.rounds == FIDE_NORM_GAMES and _is_excused(row),
        is_open=field.is_open,
    )
    assessment = assess(norm, games, conditions)
    if assessment is None:
        return None
    return NormLine(
        row=row,
        fide=UNKNOWN_PLAYER if row.player_id in field.hidden else own,
        assessment=assessment,
        checks=[_shown(check) for check in assessment.checks],
        unknown=sum(not game.player.is_known for game in assessment.games),
        left_out=len(games) - len(assessment.games),
        raised=field.names.get(assessment.raised, ""),
    )


def _games(field: _Field, row: CrosstableRow) -> Iterator[NormGame]:
    """Yield the games that a player actually played, round by round.

    In a round robin those against unrated players who scored nothing do not count
    (1.4.2b).
    """
    for _round, cell in sorted(row.cells.items()):
        if not isinstance(cell, Side):
            continue
        other = field.rows[cell.opponent]
        player = field.known[other.player_id]
        is_nil = player.is_known and player.rating is None and not other.half_points
        if is_nil and field.format is not Format.SWISS:
            continue
        for outcome in cell.outcomes:
            score = HALF_POINTS[outcome] / 2
            yield NormGame(other.player_id, player, score)


def _is_excused(row: CrosstableRow) -> bool:
    """Return whether a round was unplayed because of a forfeit win or allotted bye."""
    spared = (UnplayedRound.Kind.FULL_POINT_BYE, UnplayedRound.Kind.FORFEIT_WIN)
    return any(
        isinstance(cell, Unplayed) and cell.kind in spared
        for cell in row.cells.values()
    )


def _shown(check: Check) -> dict[str, Any]:
    """Return a check in words and figures; *holds* is None where it is unknown."""
    return {
        "label": RULES[check.rule],
        "found": _figure(check.found),
        "needed": _figure(check.needed),
        "is_most": check.rule in MOST,
        "holds": check.holds,
    }


def _figure(value: float) -> str:
    """Format a count or a score: 9, 6.5, 3.15."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def titles() -> Sequence[str]:
    return list(NORMS)
