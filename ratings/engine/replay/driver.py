"""Replay a history, or a chunk of it: the entry point of the kernel."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple

from . import kernel
from .arrays import FULL, WORKSPACE_TOO_SMALL, Results, Stop, World


class Kernel(NamedTuple):
    """The kernel, interpreted or compiled.

    `column` makes a workspace column from its first values, `view` converts tuples of
    columns to the form it can use.
    """

    name: str
    replay_items: Callable[[Any, Any, int, int, Any], tuple[int, int]]
    fill_floors: Callable[[Any, Any, Any, Any, Any], None]
    column: Callable[[list[Any]], Any]
    view: Callable[[Any], Any]


def _as_it_is(value: Any) -> Any:
    return value


INTERPRETED: Final = Kernel(
    "interpreted", kernel.replay_items, kernel.fill_floors, _as_it_is, _as_it_is
)


def replay(
    world: World,
    first_item: int,
    last_item: int,
    results: Results,
    at: Kernel = INTERPRETED,
) -> Stop:
    """Rate the items from *first_item* up to, not including, *last_item*.

    Updates `world.states` and `world.matches` and adds to *results*. With either
    kernel, and however the items are divided into calls, the rows have the same bits.
    Raises ValueError if *results* does not have room for one item.
    """
    seen_world, seen_results = at.view(world), at.view(results)
    item, players, games = first_item, 256, 64
    while True:
        workspace = new_workspace(players, games, at.column)
        item, reason = at.replay_items(
            seen_world, workspace, item, last_item, seen_results
        )
        if reason != WORKSPACE_TOO_SMALL:
            break
        need = _size_of(world, item)
        players, games = max(2 * players, need[0]), max(2 * games, need[1])
    if reason == FULL and item == first_item and results.rows_used == 0:
        raise ValueError(
            f"The results have room for {len(results.rows.item)} rows and the log "
            f"for {len(world.matches.day)} matches. That is too little for item {item}."
        )
    return Stop(item, reason)


def new_workspace(
    players: int, games: int, column: Callable[[list[Any]], Any] = _as_it_is
) -> kernel.Workspace:
    """Return a workspace for sections of so many players with so many games each."""

    def floats(size: int) -> Any:
        return column([0.0] * size)

    # Two knots per game and two of the prior; a sum may have a few terms more.
    terms = 2 * games + 8
    return kernel.Workspace(
        numbers=column([0] * (players * kernel.WIDTH)),
        values=floats(players * kernel.WIDTH),
        start=floats(players),
        strength=floats(players),
        intermediate=floats(players),
        buffers=kernel.Buffers(*(floats(terms) for _ in kernel.Buffers._fields)),
    )


def _size_of(world: World, item: int) -> tuple[int, int]:
    """Return the players of an item, and the most games or matches of one of them."""
    first_entry = world.program.items.first_entry
    first_game = world.program.entries.first_game
    entries = range(first_entry[item], first_entry[item + 1])
    games = [first_game[entry + 1] - first_game[entry] for entry in entries]
    return len(games), max([*games, world.matches.used[0]])
