"""Uploaded games: CSV, TRF or PGN, read into a history."""

import sys
from collections.abc import Iterator
from datetime import date
from gzip import GzipFile
from io import BufferedReader
from typing import BinaryIO

from django.conf import settings
from django.utils.translation import gettext_noop as _

from events.formats.played_games import section_games
from events.formats.report import ReportedEntry, ReportedEvent, ReportedSection
from events.formats.result_codes import SINGLE
from events.formats.trf.lines import looks_like_trf
from events.reports.services.file_reader import read_files
from ratings.engine.initialization import age_rating
from ratings.engine.rules import rules_in_force
from ratings.laboratory.history import History, HistoryBuilder
from ratings.laboratory.readers.findings import EFFECTS, Effect
from ratings.laboratory.readers.history_loader import LoadedHistory
from ratings.laboratory.readers.sandboxed_reader import BEGIN, read_stream, read_text
from ratings.laboratory.readers.value_parsers import FIRST_YEAR, LAST_YEAR
from ratings.research.experiments.services.histories import (
    ExperimentGames,
    Finding,
    Words,
    finding,
)
from ratings_site.common.jobs.sandbox import run_sandboxed

# Our age formula is known from this day on; older games begin with it too.
FIRST_AGE_RULE = date(2006, 1, 1)
MAX_FINDINGS = 1000
GZIP = b"\x1f\x8b"
# The largest accepted file, 20 MB, takes a fifth of either.
SECONDS, MEGABYTES = 60, 1_500


def read_games(name: str, content: bytes) -> ExperimentGames:
    """Read a file of any of the three kinds; omissions are in the findings."""
    if looks_like_trf(content):
        return _read_trf(name, content)
    return _loaded_games(read_text(content))


def read_games_stream(name: str, stream: BinaryIO) -> ExperimentGames:
    """Read a file of any size as a stream, also compressed with gzip.

    A report (TRF) is small and is read whole; all else a block at a time.
    """
    begin = stream.peek(BEGIN)[:BEGIN]  # type: ignore[attr-defined]
    if begin.startswith(GZIP):
        return read_games_stream(name, BufferedReader(GzipFile(fileobj=stream)))
    if looks_like_trf(begin):
        return read_games(name, stream.read())
    return _loaded_games(read_stream(stream, begin, max_games=sys.maxsize))


def read_uploaded_games(name: str, content: bytes) -> ExperimentGames:
    """Read an uploaded file; raises SandboxLimitExceeded if it takes too long.

    A first reading in a separate process shows that; its games are not returned.
    """
    if not looks_like_trf(content):
        run_sandboxed(
            "ratings.laboratory.readers.sandboxed_reader",
            content,
            seconds=SECONDS,
            megabytes=MEGABYTES,
        )
    return read_games(name, content)


def initial_ratings(history: History) -> dict[int, float]:
    """Return each player's age-based initial rating, on the day of the first game."""
    starts: dict[int, int] = {}
    games = history.games
    for white, black, day in zip(
        games.white, games.black, history.rated_days, strict=True
    ):
        starts.setdefault(white, day)
        starts.setdefault(black, day)
    years = history.birth_years
    return {
        player: _initial_rating(years[player] if years else None, day)
        for player, day in sorted(starts.items())
    }


def _initial_rating(birth_year: int | None, ordinal: int) -> float:
    day = max(date.fromordinal(ordinal), FIRST_AGE_RULE)
    rules = rules_in_force(day, settings.RATING_EDITION)
    # Only the year is known; its middle is half a year off at the most.
    born = date(birth_year, 7, 1) if birth_year else None
    return age_rating(born, adult=False, day=day, rules=rules)[0]


# --- A row for each game, or PGN ---


def _loaded_games(loaded: LoadedHistory) -> ExperimentGames:
    findings = [
        finding(
            (_("Line {number:,}") if one.line else "", {"number": one.line}),
            (one.pattern, one.values),
            EFFECTS[one.effect],
            one.hint,
            effect=one.effect,
        )
        for one in loaded.findings
    ]
    return ExperimentGames(loaded.history, initial_ratings(loaded.history), findings)


# --- FIDE's tournament report file ---


def _read_trf(name: str, content: bytes) -> ExperimentGames:
    result = read_files([(name, content)])
    findings = [
        finding((str(one.place), None), (one.message, None), one.hint)
        for one in result.findings
    ]
    builder = HistoryBuilder()
    if result.reported is not None:
        findings.extend(_add_report(builder, result.reported))
    history = builder.build()
    return ExperimentGames(history, initial_ratings(history), findings[:MAX_FINDINGS])


def _add_report(builder: HistoryBuilder, reported: ReportedEvent) -> Iterator[Finding]:
    for section in reported.sections:
        day = section.ends or reported.ends
        if day is None:
            sentence: Words = (
                _("The section has no end date, so its games are left out."),
                {},
            )
        elif not FIRST_YEAR <= day.year <= LAST_YEAR:
            sentence = (
                _("The section’s last day is {day}, so its games are left out."),
                {"day": day.isoformat()},
            )
        else:
            yield from _add_section(builder, section, day)
            continue
        yield finding(
            (_("Section {number}"), {"number": section.number}),
            sentence,
            _("Enter the last day in line 052 of the file."),
            effect=Effect.LEFT_OUT,
        )


def _add_section(
    builder: HistoryBuilder, section: ReportedSection, day: date
) -> Iterator[Finding]:
    entries = {entry.pairing_number: entry for entry in section.entries}
    event = builder.event(str(section.number), section.name)
    for game in section_games(section):
        place = (
            _("Section {number}, pairing number {player}, round {round}"),
            {
                "number": section.number,
                "player": game.first,
                "round": game.first_round,
            },
        )
        first, second = SINGLE[game.first_code], SINGLE[game.second_code]
        if first.half_points + second.half_points != 2:
            yield finding(
                place,
                (
                    _(
                        "The two scores don’t add up to one point. The game is "
                        "left out."
                    ),
                    {},
                ),
                effect=Effect.LEFT_OUT,
            )
            continue
        ours = _player(builder, section, entries[game.first])
        theirs = _player(builder, section, entries[game.second])
        if ours == theirs:
            yield finding(
                place,
                (_("Both players are the same. The game is left out."), {}),
                effect=Effect.LEFT_OUT,
            )
            continue
        white, black, points = ours, theirs, first.half_points / 2
        if game.first_color == "B":
            white, black, points = theirs, ours, 1 - points
        builder.game(
            white,
            black,
            points,
            day.toordinal(),
            event,
            is_colored=bool(game.first_color),
        )


def _player(
    builder: HistoryBuilder, section: ReportedSection, entry: ReportedEntry
) -> int:
    """Return the player behind an entry, known by an ID, else by name."""
    known = entry.member_id or entry.fide_id or entry.name
    id = known or f"{section.number}/{entry.pairing_number}"
    return builder.player(id, entry.name, state=entry.state)
