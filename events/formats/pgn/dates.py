"""Dates of games that have two readings: 03/05/2025, 05.03.25."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from events.formats.ambiguous_dates import resolve_dates
from events.formats.dates import possible_dates
from events.formats.findings import Collector, Place
from events.formats.pgn.tags import PgnGame

_TAGS = ("date", "utcdate", "eventdate")


def resolve_game_dates(
    games: Sequence[PgnGame], findings: Collector
) -> Mapping[str, str]:
    """Return the meaning of the ambiguous dates of one event.

    They are compared with the event's other dates and the day of the upload; findings
    ask about those that stay unclear.
    """
    first: dict[str, PgnGame] = {}
    for game in games:
        for tag in _TAGS:
            first.setdefault(game.tag(tag), game)
    unclear = [text for text in first if len(set(possible_dates(text).values())) > 1]
    if not unclear:
        return {}
    dates = [(game.tag("Date"), game.tag("UTCDate")) for game in games]
    chosen = resolve_dates(
        [next((game.tag("EventDate") for game in games if game.tag("EventDate")), "")],
        [ours or utc for ours, utc in dates],
        same=[both for both in dates if all(both)],
        today=findings.today,
    )
    clear = {}
    for text in unclear:
        game = first[text]
        chosen.report_if_ambiguous(
            findings, Place(game.file, field=f"line {game.line}"), text
        )
        if day := chosen.day(text):
            clear[text] = day.isoformat()
    return clear


def with_resolved_dates(game: PgnGame, clear: Mapping[str, str]) -> PgnGame:
    """Return the game with unambiguous dates."""
    dates = {tag: clear[text] for tag in _TAGS if (text := game.tag(tag)) in clear}
    return replace(game, tags={**game.tags, **dates}) if dates else game
