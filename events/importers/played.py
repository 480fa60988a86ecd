"""The games of a reported section as the books keep them: with rounds and outcomes."""

from collections.abc import Iterator
from dataclasses import dataclass

from events.importers.circle import round_of
from events.importers.games import ReportedGame, UnplayedCell, games_in, unplayed_in
from events.importers.records import ReportedSection

# N, S and R are a win, loss and draw for one side only (events.importers.outcomes).
OUTCOMES = {"W": "W", "L": "L", "D": "D", "N": "W", "S": "L", "R": "D"}
HALF_POINTS = {"W": 2, "D": 1, "L": 0}
# What the books keep of unplayed rounds; a round without any mark has no row.
KEPT_UNPLAYED = frozenset("BHXFZ")
FORFEITS = frozenset("XFZ")


@dataclass(frozen=True, slots=True)
class PlayedGame:
    """A game by pairing numbers; the first side has the lower one."""

    round_number: int
    leg: int
    first: int
    second: int
    first_color: str
    first_outcome: str
    second_outcome: str


def round_count(section: ReportedSection) -> int:
    """Return how many rounds the section has, in a round robin by opponents too."""
    if section.columns_are_opponents:
        players = len(section.entries)
        return players - 1 if players % 2 == 0 else players
    longest = max((len(entry.cells) for entry in section.entries), default=0)
    return max(section.rounds or 0, longest)


def played_games(section: ReportedSection) -> Iterator[PlayedGame]:
    """Yield every game that both sides report, in the order of rounds and entries."""
    for game in games_in(section):
        yield PlayedGame(
            round_number=_round(section, game),
            leg=game.game_number,
            first=game.first,
            second=game.second,
            first_color=game.first_color,
            first_outcome=OUTCOMES[game.first_code],
            second_outcome=OUTCOMES[game.second_code],
        )


def _round(section: ReportedSection, game: ReportedGame) -> int:
    if section.columns_are_opponents:
        return round_of(game.first, game.second, players=len(section.entries))
    return game.first_round


def unplayed_rounds(section: ReportedSection) -> Iterator[tuple[int, UnplayedCell]]:
    """Yield the round and cell of every bye and forfeit."""
    for cell in unplayed_in(section):
        if cell.code not in KEPT_UNPLAYED:
            continue
        if not section.columns_are_opponents:
            yield cell.round_number, cell
        elif cell.round_number != cell.pairing_number and (
            cell.round_number <= len(section.entries)  # nobody sits beyond them
        ):
            yield (
                round_of(
                    cell.pairing_number,
                    cell.round_number,
                    players=len(section.entries),
                ),
                cell,
            )


def forfeited_to(cell: UnplayedCell) -> int | None:
    """Return whom a forfeit names. A bye has no opponent, whatever its cell says."""
    return cell.opponent if cell.code in FORFEITS else None
