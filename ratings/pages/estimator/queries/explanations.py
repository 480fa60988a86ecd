"""Resolve names to members, and explain estimates and their assumptions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from django.utils.translation import gettext

from players.members.queries import find_players, suggest_players
from players.models import Player
from ratings.engine.classes import CLASSES
from ratings.engine.explanation import explain
from ratings.engine.inputs import PlayerId, RatingInput
from ratings.engine.numbers import official
from ratings.engine.rules import Rules
from ratings.engine.standard import bonus_threshold
from ratings.engine.systems import System
from ratings.engine.time_controls import TimeControl
from ratings.pages.why.queries.rules_used import rules_used
from ratings.pages.why.queries.step_builder import StepBuilder
from ratings.pages.why.queries.steps import Figures, Person
from ratings_site.common.names.phonetics import searchable
from ratings_site.common.ui.formatting import (
    format_constant,
    format_day,
    format_decimal,
    join_names,
)

MAX_LIKELY = 8


@dataclass(frozen=True, slots=True)
class NameMatch:
    """The match of a name: one member, or several to choose from."""

    member: Player | None
    candidates: Sequence[Player] = ()


def match_name(name: str) -> NameMatch:
    """Return the member of a name, if only one has it.

    Matches by sound or with a typo have to be chosen, even if there is only one.
    """
    found = list(find_players(name).filter(merged_into=None)[:MAX_LIKELY])
    words = searchable(name).split()
    same = [one for one in found if sorted(one.search_name.split()) == sorted(words)]
    if len(same) == 1:
        return NameMatch(same[0])
    if len(found) == 1 and _is_spelled(found[0], words):
        return NameMatch(found[0])
    return NameMatch(None, found or suggest_players(name))


def _is_spelled(member: Player, words: Sequence[str]) -> bool:
    known = [*member.search_name.split(), member.search_family, member.state.lower()]
    return all(any(one.startswith(word) for one in known) for word in words)


@dataclass(frozen=True, slots=True)
class EstimateExplanation:
    """The derivation of one estimate, as on the why page of a rating."""

    system: System
    outcome: Figures
    rules: Rules
    steps: list[Figures]
    rules_used: list[tuple[str, str, str, str]]


def explain_estimate(
    rating_input: RatingInput,
    rules: Rules,
    player: PlayerId,
    people: Mapping[PlayerId, Person],
    name: str = "",
) -> EstimateExplanation:
    """Derive a player's estimate step by step; without a *name*, the reader's.

    Nothing is hidden, because all inputs were typed or are on public profiles.
    """
    explanation = explain(rating_input, rules, player)
    working = StepBuilder(rating_input, rules, explanation, people, is_estimate=True)
    return EstimateExplanation(
        rating_input.system,
        working.outcome(name),
        rules,
        working.steps(),
        rules_used(explanation, rating_input, rules),
    )


def assumptions(
    systems: tuple[System, ...],
    time_control: TimeControl,
    day: date,
    rules: Rules,
    games: int | None = None,
) -> list[tuple[str, str]]:
    """Return the rules and assumptions of an estimate; *games* are its player's."""
    return [
        (
            gettext("System"),
            join_names(gettext(one.label) for one in systems),
        ),
        (gettext("Time control"), time_control.text),
        (
            gettext("Rules as of"),
            gettext("{day}, edition {edition}").format(
                day=format_day(day), edition=rules.edition
            ),
        ),
        (gettext("Bonus"), _bonus_in_words(rules, games)),
    ]


def _bonus_in_words(rules: Rules, games: int | None) -> str:
    least, counted = rules.bonus_from_games, rules.bonus_counts_at_least
    multiplier = format_constant(rules.bonus_multiplier)
    if games is None:
        return gettext(
            "from {least} games on; points gained above {multiplier} × √m count "
            "twice (m is the number of games, at least {counted})"
        ).format(least=least, multiplier=multiplier, counted=counted)
    if games < least:
        return gettext("none: fewer than {least} games").format(least=least)
    threshold = format_decimal(bonus_threshold(games, rules))
    return gettext(
        "points gained in {games} games above {multiplier} × √{max} = {threshold} "
        "count twice"
    ).format(
        games=games, multiplier=multiplier, max=max(games, counted), threshold=threshold
    )


def next_class(rating: float) -> tuple[str, int] | None:
    """Return the name and the lowest rating of the class above a rating.

    >>> next_class(1985.2), next_class(1999.5), next_class(2400)
    (('Expert', 2000), ('National Master', 2200), None)
    """
    above = [one for one in CLASSES if one.lowest > official(rating)]
    return (above[-1].name, above[-1].lowest) if above else None
