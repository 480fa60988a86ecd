"""A section's standings as anybody may see them, for programs."""

from collections.abc import Iterable
from dataclasses import dataclass

from ratings.crosstable.queries.crosstable import (
    Change,
    Crosstable,
    ratings_to_round,
)
from ratings.engine.systems import System
from ratings.ledger.queries.privacy import is_guarded


@dataclass(frozen=True, slots=True)
class Rounding:
    """Which ratings of a section are whole numbers for everybody but the office."""

    systems: frozenset[System]
    before: frozenset[tuple[System, int]]

    def rounds_before(self, system: System, player_id: int) -> bool:
        return system in self.systems or (system, player_id) in self.before

    def rounds_after(self, system: System) -> bool:
        return system in self.systems


def rounding_of(table: Crosstable) -> Rounding:
    """Say what the public page of the section rounds (one query at most)."""
    if is_guarded():
        return Rounding(frozenset(table.systems), frozenset())
    systems = table.systems_to_round
    if systems.issuperset(table.systems):
        return Rounding(systems, frozenset())
    return Rounding(systems, frozenset(ratings_to_round(table.section, None)))


def changes_of(
    systems: Iterable[System], changes: Iterable[Change | None]
) -> list[tuple[System, Change]]:
    """Return a row's lines in the ledger, each with its system."""
    return [
        (system, change)
        for system, change in zip(systems, changes, strict=True)
        if change is not None
    ]
