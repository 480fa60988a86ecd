"""The page docs/rules.md: every rule with its first day, its source and our reasons.

The tables come from `parameters`, so that the document and the calculation agree.
"""

from collections.abc import Iterable, Sequence
from datetime import date
from typing import Any

from ratings.engine.classes import CLASSES
from ratings.engine.results import RatingResult
from ratings.engine.rule_history import DatedValue, RuleHistory
from ratings.engine.rules import DEFAULT_EDITION, EDITIONS, PARAMETERS

from .counter_example import COUNTER_EXAMPLE_INTRODUCTION, counter_example
from .decisions import DECISIONS
from .history import HISTORY_LINES, LATER_EDITIONS
from .values import describe_value

INTRODUCTION = f"""\
# The rating rules, by date

This page is for two readers. If you are new: it tells which numbers the rating system
uses, from which day, and where each one is written. If you sit on the ratings
committee: it lists every place where the published texts are silent or disagree, what
this program does there, and why.

The page is written by a program from the same values the calculation uses
(`ratings/engine/parameters.py`). Do not edit it; change the values or the reasons and
run `python -m ratings.engine.rules_document docs/rules.md`. A test fails when the page
is out of date.

## How a rule is chosen

1. **A section is rated by the rules of its start day.** The history list of the paper
   says that a change applies to sections that start on its day or later. Ages and the
   staleness of other ratings are counted to the section's end day.
2. **An edition is a text.** The paper “The US Chess Rating system” by Mark E. Glickman
   and Thomas Doan has been published more than once. The program can rate by each of
   the editions below; the setting names one and `{DEFAULT_EDITION}` is the default. An
   edition knows only what it prints: rated by the 2020 text, a section of 2024 has the
   bonus multiplier 14 and the FIDE conversion of 2020, because that text has no other.
   So a comparison of two editions shows all of the difference between the two texts.
3. **No guess before the first known value.** Every day has rules, but a calculation
   that needs a value which is not known for its day stops with an error that names the
   value and the day. Older history is imported and shown as it was published.
"""

EDITION_NOTES = {
    "2020-09-02": "The 2020 paper. Several days in its history list are printed ??.",
    "2025-02-10": "The February 2025 paper. Changes of 2020, 2023, 2024 and 2025.",
    "2025-07-26": (
        "The newest text known in detail. Three changes against February 2025: the "
        "bonus multiplier is 10 from January 1, 2025; the history list says so; the "
        "search of the special formula starts at the adjusted prior R0′."
    ),
}

GROUPS = (
    (
        "Bonus",
        "A player who does much better than expected gains more than K × (S − E): the "
        "part of\n"
        "it above B√m′ counts twice. B is the bonus multiplier, m′ the number of "
        "games.",
        (
            "bonus_multiplier",
            "bonus_from_games",
            "bonus_counts_at_least",
            "bonus_meetings",
            "three_game_repeat_clause",
        ),
    ),
    (
        "Effective games and K",
        "K is how far one game can move a rating. It is large for a player whose "
        "rating rests\n"
        "on few effective games (N′, the smaller of N and N*).",
        ("effective_games", "k_numerator", "lower_k_when_dual", "lower_k"),
    ),
    (
        "The rating formulas",
        "The special formula rates new players (N up to 8) and players who have only\n"
        "won or only lost; the standard formula rates everyone else.",
        (
            "expectancy_scale",
            "provisional_reach",
            "special_up_to",
            "special_cap",
            "special_shift",
            "first_estimate_games",
            "lowest_rating",
            "established_after",
        ),
    ),
    (
        "Initial ratings",
        "A player without a rating in a system starts from ratings elsewhere, weighed "
        "by games\n"
        "and age of the rating, or else from the player's age.",
        (
            "blend",
            "age_start",
            "fide_conversion",
            "fide_game_factor",
            "cfc_conversion",
            "cfc_game_factor",
        ),
    ),
    (
        "Floors",
        "A rating cannot fall below its floor.",
        (
            "personal_absolute_floor",
            "absolute_floor",
            "floor_event_games",
            "lowest_peak_floor",
            "highest_peak_floor",
            "peak_floor_drop",
            "peak_floor_step",
            "olm_floor",
            "olm_games",
            "olm_reading",
            "money_floor_prize",
            "money_floor_needs_established",
            "highest_money_floor",
        ),
    ),
    (
        "Matches and foreign events",
        "Matches between two players are limited; foreign events count with converted "
        "FIDE\n"
        "ratings.",
        (
            "match_limit",
            "match_limit_180_days",
            "match_limit_3_years",
            "match_rating_gap",
            "match_floor_drop",
            "foreign_automatic_from",
            "youth_conversion",
        ),
    ),
    (
        "Time controls",
        "Minutes of all controls plus seconds of delay or increment decide the system.",
        ("otb_time_controls", "online_time_controls"),
    ),
)


def render() -> str:
    """Return the whole of docs/rules.md."""
    parts = [
        INTRODUCTION,
        _editions(),
        _values(),
        _history(),
        _decisions(),
        _counter_example(),
        _classes(),
    ]
    return "\n".join(parts)


def _editions() -> str:
    rows = [(f"`{edition}`", EDITION_NOTES[edition]) for edition in EDITIONS]
    return "## Editions\n\n" + _table(("Edition", "What it is"), rows) + NEWEST_TEXT


NEWEST_TEXT = """
A text of April 6, 2026 exists (`us_chess_rating_system_specs-2026-04-06.pdf`). Two
public programs that implement it use the constants of July 26, 2025. The text itself
could not be obtained, so it is no edition here.

[CONTRIBUTING.md](../CONTRIBUTING.md#add-a-rule-edition) says how to add an edition. An
office that rates by another edition than before gets a pending rerate by itself.
"""


def _values() -> str:
    parts = [
        "## Every value\n\n"
        "“From” is the first start day of a section that takes the value; “always” "
        "means that no text knows another one. The name in code font is the one to use "
        "in a what-if calculation.\n"
    ]
    for title, meaning, names in GROUPS:
        rows = [
            row for name in names for row in _parameter_rows(name, PARAMETERS[name])
        ]
        header = ("Rule", "From", "Value", "Source", "Editions")
        parts.append(f"### {title}\n\n{meaning}\n\n" + _table(header, rows))
    return "\n".join(parts)


def _parameter_rows(name: str, parameter: RuleHistory[Any]) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = []
    for place, since in enumerate(parameter.history):
        rule = f"{_capital(parameter.name)} (`{name}`)" if place == 0 else ""
        rows.append(
            (
                rule,
                _day(since.day) if since.day else "always",
                describe_value(since.value),
                since.source,
                _known_to(since),
            )
        )
    return rows


def _known_to(since: DatedValue[Any]) -> str:
    known = [edition for edition in EDITIONS if since.applies_in(edition)]
    return "all" if len(known) == len(EDITIONS) else ", ".join(known)


def _history() -> str:
    rows = [
        (line.in_2020 or "—", line.in_2025 or "—", line.change, line.interpretation)
        for line in HISTORY_LINES
    ]
    header = ("2020 text", "February 2025 text", "Change", "What we do")
    return (
        "## The history lists, line by line\n\n"
        "Section 8 of both texts; — means that the text has no such line.\n\n"
        + _table(header, rows)
        + "".join(f"\n{line}\n" for line in LATER_EDITIONS)
    )


def _decisions() -> str:
    parts = ["## Where the texts conflict or are silent\n"]
    for title, decisions in DECISIONS:
        lines = [
            f"- **{decision.title}.** {decision.choice} *Why:* {decision.reason}"
            for decision in decisions
        ]
        parts.append(f"### {title}\n\n" + "\n".join(lines) + "\n")
    return "\n".join(parts)


def _counter_example() -> str:
    rows = [
        (str(drawn.id), *_shown(drawn), *_shown(won))
        for drawn, won in zip(counter_example(1), counter_example(2), strict=True)
    ]
    header = ("Player", "Draw: step 4", "Draw: final", "Win: step 4", "Win: final")
    first, second = counter_example(1)[0], counter_example(2)[0]
    return (
        f"{COUNTER_EXAMPLE_INTRODUCTION}\n{_table(header, rows)}\n"
        "With the win A scores half a point more, but A's expected score rises from "
        f"{first.expected:.2f} to {second.expected:.2f}, by more than half a point.\n"
    )


def _shown(rated: RatingResult) -> tuple[str, str]:
    return f"{rated.intermediate:.1f}", f"{rated.post:.1f}"


def _classes() -> str:
    rows = [
        (rating_class.name, f"{rating_class.lowest}{upper}")
        for rating_class, upper in zip(
            CLASSES,
            ["+", *(f"–{higher.lowest - 1}" for higher in CLASSES)],
            strict=False,
        )
    ]
    return (
        "## Classes\n\nNames of bands of official ratings; no formula uses them.\n\n"
        + _table(("Class", "Official rating"), rows)
    )


def _table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _day(day: date) -> str:
    return f"{day:%B} {day.day}, {day:%Y}"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
