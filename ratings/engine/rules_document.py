"""Writes docs/rules.md: every rule with its first day, its source and our reasons.

The tables come from `parameters`, so the document cannot tell another story than the
calculation. Run `python -m ratings.engine.rules_document docs/rules.md` after a change.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from .cards import Competitor, Game, Kind, Record, SectionCard
from .classes import CLASSES
from .conversions import Conversion, LinearConversion
from .dated import Dated, Since
from .outcomes import Rated
from .parameters import (
    AbsoluteFloor,
    AgeStart,
    Blend,
    EffectiveGames,
    FideGameFactor,
    LowerK,
    TimeControlRange,
)
from .rules import DEFAULT_EDITION, EDITIONS, PARAMETERS, rules_in_force
from .section import rate_section
from .systems import System
from .time_controls import parse_time_control

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
   and Thomas Doan has been published more than once. The program can rate by three
   editions; the setting names one and `{DEFAULT_EDITION}` is the default. An edition
   knows only what it prints: rated by the 2020 text, a section of 2024 has the bonus
   multiplier 14 and the FIDE conversion of 2020, because that text has no other. So a
   comparison of two editions shows all of the difference between the two texts.
3. **No guess before the first known value.** Every day has rules, but a calculation
   that needs a value which is not known for its day stops with an error that names the
   value and the day. Older history is imported and shown as it was published.
"""

EDITION_NOTES = {
    "2020-09-02": "The 2020 paper. Several days in its history list are printed ??.",
    "2025-02-10": "The February 2025 paper. Changes of 2020, 2023, 2024 and 2025.",
    "2025-07-26": (
        "The newest text known in detail. Three changes against February 2025: the "
        "bonus multiplier is 10 from 1 January 2025; the history list says so; the "
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
        "The special formula rates newcomers (N up to 8) and players who have only won "
        "or only\n"
        "lost; the standard formula rates everyone else.",
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
            "blended_start",
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
            "lowest_peak_floor",
            "highest_peak_floor",
            "peak_floor_drop",
            "peak_floor_step",
            "olm_floor",
            "olm_games",
            "money_floor_prize",
            "highest_money_floor",
        ),
    ),
    (
        "Matches and foreign events",
        "Matches between two players are limited; games abroad count against converted "
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


@dataclass(frozen=True)
class ChangeOfRules:
    """A line of the history list (section 8); None where a text lacks it."""

    in_2020: str | None
    in_2025: str | None
    change: str
    what_we_do: str


AS_PRINTED = "As printed."
HISTORY_LINES = (
    ChangeOfRules(
        "2002-??-??",
        "2002-??-??",
        "Regular sections up to 60 (minutes + seconds) are rated as quick too.",
        "From 1 January 2002, the first day of the printed year.",
    ),
    ChangeOfRules(
        "20??-??-??",
        "20??-??-??",
        "Dual rating reaches 65.",
        "From 1 March 2013, the first dated line that changes time-control ranges. "
        "The step from 60 to 65 lets G/60 with 5 seconds stay dual.",
    ),
    ChangeOfRules(
        "2004-??-??",
        "2004-??-??",
        "Quick rating begins at 5.",
        "From 1 January 2004, the first day of the printed year; before it at 10, "
        "which the texts do not print.",
    ),
    ChangeOfRules(
        "2006-??-??",
        "2006-??-??",
        "The age-based initial rating changes.",
        "Today's formula from 1 January 2006. The formula before it is not printed, so "
        "earlier days have none.",
    ),
    ChangeOfRules(
        "2008-08-07",
        "2008-06-06",
        "The bonus multiplier falls from 10 to 6.",
        "Each edition follows its own day. The value before it, 10, is taken from "
        "1 January 2001, where the list begins.",
    ),
    ChangeOfRules(
        "2008-08-07",
        "2008-08-07",
        "Floors of their own for very low rated players.",
        "As printed: the personal absolute floor (100 to 150), over the board only.",
    ),
    ChangeOfRules(
        "2010-04-01",
        "2010-04-01",
        "Peak floors of 1200 and 1300; the lowest had been 1400.",
        AS_PRINTED,
    ),
    ChangeOfRules(
        "2012-08-04",
        "2012-08-03",
        "The bonus multiplier rises to 8.",
        "Each edition follows its own day.",
    ),
    ChangeOfRules(
        "2013-??-??",
        "2013-03-01",
        "Blitz ratings over the board; the quick range changes.",
        "From 1 March 2013 in every edition. Games of 5 to 10 were quick before.",
    ),
    ChangeOfRules(
        "2013-05-08",
        "2013-05-08",
        "The effective-games formula gives lower values.",
        "As printed. The formula before it is not printed, so no section that started "
        "earlier can be rated again. The lower K above 2200 was announced with it and "
        "has the same first day here.",
    ),
    ChangeOfRules(
        "2014-03-20", "2014-03-20", "The bonus multiplier rises to 10.", AS_PRINTED
    ),
    ChangeOfRules(
        None,
        "2014-09-01",
        "Ratings are stored with decimals.",
        "Changes no formula. Whole ratings imported from before are taken as they are, "
        "and a rerate keeps decimals on every day.",
    ),
    ChangeOfRules(
        "20??-??-??",
        "2014-10-01",
        "Online blitz ratings.",
        "From 1 October 2014 in every edition.",
    ),
    ChangeOfRules(
        "2020-??-??",
        "2015-03-01",
        "Online quick ratings.",
        "From 1 March 2015 in every edition; the year printed in 2020 is the text's "
        "mistake, by its own successor.",
    ),
    ChangeOfRules(
        "2015-06-01", "2015-06-01", "The bonus multiplier rises to 12.", AS_PRINTED
    ),
    ChangeOfRules(
        "2017-06-01",
        "2017-06-01",
        "The bonus multiplier rises to 14.",
        "As printed here. Section 4.2 of the 2020 text says 1 May 2017; the list is "
        "followed because it says it is the list of first days.",
    ),
    ChangeOfRules(
        "2020-??-??",
        "2020-06-01",
        "Online regular ratings.",
        "From 1 June 2020 in every edition.",
    ),
    ChangeOfRules(
        None,
        "2020-06-01",
        "Initial ratings are blended from other systems.",
        "From 1 June 2020 in every edition: the 2020 text describes it without a day.",
    ),
    ChangeOfRules(
        None,
        "2023-02-01",
        "The bonus multiplier falls to 12.",
        "From that day in the editions of 2025.",
    ),
    ChangeOfRules(
        None,
        "2024-03-01",
        "New FIDE conversions.",
        "From that day in the editions of 2025, also for youth events (section 6).",
    ),
    ChangeOfRules(
        None,
        "2025-01-01",
        "New CFC conversion.",
        "From that day in the editions of 2025.",
    ),
)
JULY_LINE = (
    "The edition of 26 July 2025 adds one line: the bonus multiplier falls to 10 on "
    "1 January 2025. It holds from that day in this edition only."
)


@dataclass(frozen=True)
class Decision:
    """A choice where the texts conflict or are silent."""

    title: str
    choice: str
    reason: str


DECISIONS: tuple[tuple[str, tuple[Decision, ...]], ...] = (
    (
        "Days and editions",
        (
            Decision(
                "Start day or end day",
                "The section's start day picks the rules, for every change.",
                "The history list says so in words. The office is known to have "
                "applied the bonus changes of 2017 and 2023 by the day an event ended, "
                "so a section that began before such a day and ended after it may have "
                "been rated otherwise at the time.",
            ),
            Decision(
                "Days printed as ??",
                "A day missing in the 2020 text is taken from the text of February "
                "2025. If both print a year only, the rule holds from 1 January of it.",
                "The newer text is by the same authors and was written to fill the "
                "gaps. The first of January keeps the whole printed year together.",
            ),
            Decision(
                "Bonus days that differ",
                "The history list of the edition in use decides (6 in 2008, 8 in "
                "2012).",
                "An edition must give the result its own text gives.",
            ),
            Decision(
                "Effective games and lower K in 2013",
                "From 8 May 2013.",
                "Both history lists print this day for the formula. An announcement of "
                "13 May 2013 spoke of events that end from 18 May on and named the "
                "lower K above 2200 with it; the list is followed for both.",
            ),
            Decision(
                "First days of the 2020 conversions",
                "The FIDE, youth and CFC conversions of the 2020 text hold from 1 June "
                "2020.",
                "Their first day is printed nowhere. Blending begins on 1 June 2020 "
                "and was run with these formulas; before it the order of precedence "
                "between the sources is not known, so an earlier day would serve "
                "nothing.",
            ),
            Decision(
                "Three games with an opponent met twice",
                "No bonus for such a player in sections that start on 10 February 2025 "
                "or later, by the editions of 2025; never by the 2020 text.",
                "The clause is in the body of the 2025 text, without a day and without "
                "a line in the history list. The text's own day is the first on which "
                "it can have been known.",
            ),
            Decision(
                "Money floors",
                "The smallest prize is $4,000 for prizes from 1 January 2018 and "
                "$2,000 from 1 March 2006.",
                "Both texts print $4,000 without a day. It was raised before 2018, "
                "from $2,000 set in March 2006; the exact days are not known.",
            ),
            Decision(
                "Match limits",
                "50 points in a match and 100 in 180 days hold from 1 January 2006; "
                "200 in three years and the gap of 400 always.",
                "The first two came with the match rules of 2006, the others are "
                "older.",
            ),
        ),
    ),
    (
        "Special formula",
        (
            Decision(
                "Which zero",
                "The result is the zero of the objective function nearest to the "
                "adjusted prior R0′, then at most 2700. This holds in every edition.",
                "The function never falls, so its zeros are one point or one interval. "
                "A search from R0′ ends at the nearest one. The weighted average that "
                "the older texts start from can end elsewhere when N′ = 0, although "
                "they say that both starts agree and that the office's program begins "
                "at R0′. The July 2025 text settles it for R0′. Example: "
                "prior 750 with N = 0, a loss to 2000 and a win against 100 give 750, "
                "not 1050; prior 1300 with N = 0, a loss to 2300 and a win against 100 "
                "give 1300, not 1200.",
            ),
            Decision(
                "How it is solved",
                "Exactly, from the knots of the function; no iteration, and no "
                "comparison of |M − Ri| with 400.",
                "Copied step by step into floating-point numbers, the printed search "
                "goes wrong by up to 648 points about once in 2,000 random cases.",
            ),
            Decision(
                "“More than 8 games”",
                "The count of games N decides between the formulas, never the "
                "effective games N′.",
                "Section 1 says so for the standard formula.",
            ),
            Decision(
                "All wins or all losses",
                "Looked at in each system by itself. A newcomer with an assigned N has "
                "neither.",
                "The systems have no connection but the initial rating; an assigned N "
                "stands for games whose results are not known.",
            ),
        ),
    ),
    (
        "Initial ratings",
        (
            Decision(
                "Rounding",
                "The blend is rounded to a whole number; the age-based start is not.",
                "Section 2 rounds the one and says nothing of the other, and the "
                "paper's example keeps decimals in its age-based figures.",
            ),
            Decision(
                "The day of a source",
                "A US Chess rating counts as computed on the end day of the section it "
                "came from; for FIDE it is the standard list in force on the end day "
                "of the section being rated.",
                "The texts say “when that rating was computed” and no more. A day of "
                "computation inside the office changes with each rerate, the end day "
                "does not.",
            ),
            Decision(
                "The age-based figure of a source (P)",
                "Section 2.3 at the day of the source, with its rule for a missing "
                "birth date or an age under 3, also for days before birth.",
                "Section 2 refers to section 2.3 as a whole, and that section treats "
                "an impossible age as a mistake in the birth date.",
            ),
            Decision(
                "Game Factors of FIDE and CFC",
                "Always 10 or 5 (FIDE, above or up to 2000) and 5 (CFC).",
                "Only US Chess sources are limited by the games credited: the text "
                "says “credited under the system”, and foreign game counts are not "
                "kept.",
            ),
            Decision(
                "Which conversion",
                "The one in force on the start day of the section being rated.",
                "It is a rule like any other.",
            ),
            Decision(
                "Steps in the conversions",
                "The printed pieces are used as they stand, although they do not meet: "
                "FIDE 2000 gives 2060.4 and 2001 gives 2061.02. A boundary belongs to "
                "the piece whose sign (≤ or ≥) includes it.",
                "The text is the rule.",
            ),
            Decision(
                "Games of an unrated player",
                "After the section N is the assigned N plus the games played; before "
                "it the player is shown as unrated, always.",
                "Section 7 adds the games to N. A starting value can give away a birth "
                "date.",
            ),
            Decision(
                "Dual-rated sections",
                "Both systems are rated from the states before the section; neither "
                "result starts the other.",
                "Both results are computed on the same day; using one for the other "
                "would make the outcome depend on the order of the two.",
            ),
        ),
    ),
    (
        "Floors",
        (
            Decision(
                "When a floor acts",
                "Personal, peak, Life Master, money and office floors act once, after "
                "step 5. Between the steps only the 100 of the text acts.",
                "The text names 100 alone in steps 3, 4 and 5. In published "
                "crosstables, 47 of 47 opponents of floored players fit this reading "
                "and 15 of 47 the other.",
            ),
            Decision(
                "What counts as an event for the absolute floor",
                "A section in which the player completed three rated games; games in "
                "two sections of one event are not added up.",
                "The text speaks of events, but a section is the unit of rating, may "
                "be rated days before its sister section, and its result must not "
                "depend on one that is still to come. It makes a point or two for "
                "somebody below 150.",
            ),
            Decision(
                "Personal absolute floor",
                "Over the board only, in each system by itself, with the wins, draws "
                "and rounds of the event being rated counted in. Online it is 100.",
                "Section 5 restricts it to ratings over the board; member records show "
                "one for each system.",
            ),
            Decision(
                "Peak floors",
                "In all six systems, each from its own established post-event ratings, "
                "not from published ones.",
                "Section 5 says “highest attained established rating” and, unlike for "
                "the Life Master floor, names no system.",
            ),
            Decision(
                "Life Master and money floors",
                "The Life Master floor acts in over-the-board regular only; a money "
                "floor in the systems its section was rated in.",
                "The first is printed; for the second the prize was won at those "
                "speeds.",
            ),
        ),
    ),
    (
        "Matches",
        (
            Decision(
                "A floor in a match",
                "The floor holds, and the result is marked as a request to lower it. "
                "If the office grants the request, the floor is 100 points lower and "
                "the match is rated again.",
                "Section 7 makes such a result a request, not a lower rating; until "
                "somebody decides, the old floor is the only one there is.",
            ),
            Decision(
                "A rise or fall of more than 50",
                "The change in one match is cut to 50 points either way, before floor "
                "and ceiling.",
                "Section 7 limits the change itself.",
            ),
            Decision(
                "The windows of 180 days and three years",
                "They end on the last day of the match and count earlier matches by "
                "their last days: that of the section, if an event held more than the "
                "match. A match exactly 180 days, or three years, earlier no longer "
                "counts.",
                "Matches are rated in the order of these days. By the end of a longer "
                "event a match could be rated before another, and neither would count "
                "toward the other's limits.",
            ),
            Decision(
                "Beyond a limit",
                "Such a match is rated with what the limits leave. Who may play (both "
                "established and published, at most 400 apart, 1 to 20 games) can be "
                "waived by the office with a reason; the limits cannot.",
                "Section 7 limits the change and not the match.",
            ),
        ),
    ),
    (
        "Foreign events",
        (
            Decision(
                "Before and after",
                "The Regular rating must be established when the event begins. "
                "Membership is looked at on the event's last day and on the first day "
                "of the FIDE list that holds it.",
                "Section 6 speaks of established ratings and of current members each "
                "time a list is produced, and names no day for either.",
            ),
            Decision(
                "2200 and the flag",
                "Both are those of the FIDE list in force on the event's first day; "
                "exactly 2200 is enough.",
                "Others have to opt in before the event begins, so everybody must be "
                "able to know by then on which side of the limit a member stands.",
            ),
            Decision(
                "Opting in",
                "The opt-in must lie on a day before the first day of the event.",
                "Section 6 says in advance of the event; on the day itself nobody can "
                "tell which came first.",
            ),
            Decision(
                "Residents with another flag",
                "They need a decision of the office, and under FIDE 2200 an opt-in as "
                "well. A member whom FIDE does not know yet has no other flag.",
                "Section 6 lets the office include them and asks everybody under 2200 "
                "to opt in.",
            ),
            Decision(
                "Opponents' ratings",
                "Those of the FIDE list in force on the event's first day. A rating "
                "that a report states counts only where that list cannot tell.",
                "It is the list FIDE rates the event with.",
            ),
            Decision(
                "Floors and ceilings",
                "They act as in a section, and the games count toward the absolute "
                "floor.",
                "The text excepts foreign events from neither.",
            ),
        ),
    ),
    (
        "Time controls",
        (
            Decision(
                "Shortest first control",
                "At least 5 minutes in quick, dual and regular sections and 3 in "
                "blitz; otherwise the section is not rated, at any date.",
                "Office practice; the paper's footnote only gives totals, and its "
                "example G/3+2 is blitz.",
            ),
            Decision(
                "Online",
                "30 or more is online regular; there is no dual rating.",
                "The footnote speaks of dual rating for the quick and regular ratings "
                "over the board only.",
            ),
            Decision(
                "Seconds in old time controls",
                "Minutes and seconds are added on every day.",
                "The texts write every range that way. In the years before 2013 a "
                "delay was not counted, so the systems that an old section was really "
                "rated in are stored with it and the ranges are not asked again.",
            ),
            Decision(
                "Before 2004",
                "Quick began at 10 and regular at 30.",
                "The list says only that 2004 extended quick to 5; 10 is the lower end "
                "of the rulebook of that time.",
            ),
        ),
    ),
)


COUNTER_EXAMPLE_DAY = date(2025, 8, 2)
COUNTER_EXAMPLE_INTRODUCTION = """\
## Can half a point more lower a rating?

For fixed opponents, no: in both formulas one more half point never lowers the result.
For a whole section, yes. The half point is taken from an opponent, whose intermediate
rating falls, and the last step reads the score against a weaker opponent. When
opponents have few games, that can be worth more than the half point.

As calculated by this program: a round robin over the board at G/90;+30 that starts on
2 August 2025. A has 1300 on 40 games, C has 1900 on 4 games, B and D are unrated
without a birth date (750). A beats C and D; B draws with C and beats D; D beats C.
Only the game between A and B changes.
"""


def counter_example(half_points: int) -> tuple[Rated, ...]:
    """Rate the section of the document with A scoring *half_points* against B.

    A draw (1) leaves A a higher rating than a win (2).

    >>> from ratings.engine.numbers import official
    >>> [official(counter_example(half_points)[0].post) for half_points in (1, 2)]
    [1430, 1418]
    """
    card = SectionCard(
        system=System.OTBR,
        kind=Kind.ROUND_ROBIN,
        time_control=parse_time_control("G/90;+30"),
        start_date=COUNTER_EXAMPLE_DAY,
        end_date=COUNTER_EXAMPLE_DAY,
        competitors=(
            Competitor("A", 1300.0, 40),
            Competitor("B", None, record=Record.NONE),
            Competitor("C", 1900.0, 4),
            Competitor("D", None, record=Record.NONE),
        ),
        games=(
            Game("A", "B", half_points, 2 - half_points),
            Game("A", "C", 2, 0),
            Game("A", "D", 2, 0),
            Game("B", "C", 1, 1),
            Game("B", "D", 2, 0),
            Game("D", "C", 2, 0),
        ),
    )
    return rate_section(card, rules_in_force(COUNTER_EXAMPLE_DAY))


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
    return "## Editions\n\n" + _table(("Edition", "What it is"), rows)


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


def _parameter_rows(name: str, parameter: Dated[Any]) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = []
    for place, since in enumerate(parameter.history):
        rule = f"{_capital(parameter.name)} (`{name}`)" if place == 0 else ""
        rows.append(
            (
                rule,
                _day(since.day) if since.day else "always",
                _value(since.value),
                since.source,
                _known_to(since),
            )
        )
    return rows


def _known_to(since: Since[Any]) -> str:
    known = [edition for edition in EDITIONS if since.is_known_to(edition)]
    return "all" if len(known) == len(EDITIONS) else ", ".join(known)


def _history() -> str:
    rows = [
        (line.in_2020 or "—", line.in_2025 or "—", line.change, line.what_we_do)
        for line in HISTORY_LINES
    ]
    header = ("2020 text", "February 2025 text", "Change", "What we do")
    return (
        "## The history lists, line by line\n\n"
        "Section 8 of both texts; — means that the text has no such line.\n\n"
        + _table(header, rows)
        + f"\n{JULY_LINE}\n"
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


def _shown(rated: Rated) -> tuple[str, str]:
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
    return f"{day.day} {day:%B %Y}"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _number(number: float) -> str:
    """Write a number as the papers do: no needless zeros, a true minus sign."""
    return f"{number:.10f}".rstrip("0").rstrip(".").replace("-", "−")


def _value(value: Any) -> str:
    """Put a value into words or a formula, whatever its shape."""
    match value:
        case bool():
            return "yes" if value else "no"
        case int() | float():
            return _number(value)
        case EffectiveGames():
            return (
                f"N* = {_number(value.limit)} ÷ √({_number(value.base)} + "
                f"{_number(value.slope)} × ({_number(value.pivot)} − R)²); "
                f"{_number(value.limit)} if R > {_number(value.full_above)}"
            )
        case LowerK():
            return (
                f"K × ({_number(value.intercept)} − {_number(value.slope)} × R) if R > "
                f"{_number(value.above)}; {_number(value.flat)} ÷ (N′ + m) if R ≥ "
                f"{_number(value.flat_from)}"
            )
        case AgeStart():
            return _age_start(value)
        case Blend():
            return _blend(value)
        case FideGameFactor():
            return (
                f"{value.higher} above {_number(value.above)}, "
                f"{value.lower} up to {_number(value.above)}"
            )
        case AbsoluteFloor():
            return (
                f"{value.base} + {value.per_win} per win + {value.per_draw} per draw + "
                f"{value.per_event} per event of {value.games_in_event} or more games, "
                f"at most {value.highest}"
            )
        case Conversion():
            return "; ".join(_line(line) for line in value.lines)
        case tuple():
            return "; ".join(_range(time_range) for time_range in value)
    raise TypeError(f"{value!r} has no words for the document of the rules.")


def _age_start(start: AgeStart) -> str:
    return (
        f"{_number(start.points_per_year)} × age (days ÷ "
        f"{_number(start.days_per_year)}); {_number(start.lowest)} below age "
        f"{_number(start.lowest_below)}, {_number(start.highest)} above age "
        f"{_number(start.highest_above)}; without a birth date or below age "
        f"{_number(start.mistaken_below)} an adult counts as "
        f"{_number(start.adult_age)}, anyone else as {_number(start.child_age)}"
    )


def _blend(blend: Blend) -> str:
    pairs = ", ".join(f"{target} from {source}" for source, target in blend.same_speed)
    return (
        f"Game Factor {blend.main_factor} for {blend.main_source} and for {pairs}, "
        f"else {blend.other_factor}, at most the games credited; Z = min("
        f"{_number(blend.strength_limit)}, (X − P) ÷ {_number(blend.strength_scale)}); "
        f"staleness factor e^({_number(blend.decay)} × (Z − "
        f"{_number(blend.strength_limit)}) × days ÷ {_number(blend.days_per_year)}); N "
        f"at most {blend.most_games}"
    )


def _line(line: LinearConversion) -> str:
    formula = f"{_number(line.intercept)} + {_number(line.slope)} × rating"
    if line.up_to is None:
        return f"{formula} beyond"
    word = "up to" if line.includes_end else "below"
    return f"{formula} {word} {_number(line.up_to)}"


def _range(time_range: TimeControlRange) -> str:
    systems = " and ".join(time_range.systems)
    most = "or more" if time_range.most is None else f"to {time_range.most}"
    return (
        f"{systems} {time_range.least} {most} "
        f"(first control at least {time_range.first_control})"
    )


def main(arguments: Sequence[str]) -> None:
    """Write the document to the file named by the only argument."""
    if len(arguments) != 1:
        raise SystemExit(
            "Name the file to write: "
            "python -m ratings.engine.rules_document docs/rules.md"
        )
    Path(arguments[0]).write_text(render(), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
