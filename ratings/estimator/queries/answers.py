"""Whom names mean, and how an estimate is shown: its working, and what it assumes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from django.utils.translation import gettext

from players.members.queries import find_players, meant_instead
from players.models import Player
from ratings.engine.cards import PlayerId, SectionCard
from ratings.engine.classes import CLASSES
from ratings.engine.explanation import explain
from ratings.engine.numbers import official
from ratings.engine.rules import Rules
from ratings.engine.standard import bonus_threshold
from ratings.engine.systems import System
from ratings.engine.time_controls import TimeControl
from ratings.why.queries.rules_used import rules_used
from ratings.why.queries.steps import Outcome, Person, Step
from ratings.why.queries.working import Working
from ratings_site.common.looks.figures import constant, day_in_words, listed, plain
from ratings_site.common.names.sounds import searchable

MOST_LIKELY = 8


@dataclass(frozen=True, slots=True)
class Meant:
    """Whom a name means: one member, or several to choose from."""

    member: Player | None
    likely: Sequence[Player] = ()


def meant_by(name: str) -> Meant:
    """Return whom a name means, if only one member is called so.

    Who is found by sound or by a slip of the fingers is to be chosen, even if there
    is nobody else.
    """
    found = list(find_players(name).filter(merged_into=None)[:MOST_LIKELY])
    words = searchable(name).split()
    same = [one for one in found if sorted(one.search_name.split()) == sorted(words)]
    if len(same) == 1:
        return Meant(same[0])
    if len(found) == 1 and _is_spelled(found[0], words):
        return Meant(found[0])
    return Meant(None, found or meant_instead(name))


def _is_spelled(member: Player, words: Sequence[str]) -> bool:
    known = [*member.search_name.split(), member.search_family, member.state.lower()]
    return all(any(one.startswith(word) for one in known) for word in words)


@dataclass(frozen=True, slots=True)
class EstimatedWorking:
    """The derivation of one estimate, as the why page has it for a rating."""

    system: System
    outcome: Outcome
    rules: Rules
    steps: list[Step]
    rules_used: list[tuple[str, str, str, str]]


def working_of(
    card: SectionCard,
    rules: Rules,
    player: PlayerId,
    people: Mapping[PlayerId, Person],
    name: str = "",
) -> EstimatedWorking:
    """Derive a player's estimate step by step; without a *name*, the reader's.

    Nothing is hidden: what went in was typed or stands on profiles.
    """
    explanation = explain(card, rules, player)
    working = Working(card, rules, explanation, people, is_estimate=True)
    return EstimatedWorking(
        card.system,
        working.outcome(name),
        rules,
        working.steps(),
        rules_used(explanation, card, rules),
    )


def assumptions(
    systems: tuple[System, ...],
    time_control: TimeControl,
    day: date,
    rules: Rules,
    games: int | None = None,
) -> list[tuple[str, str]]:
    """Return by which rules an estimate was made; *games* are those of its player."""
    return [
        (
            gettext("System"),
            listed(gettext(one.label) for one in systems),
        ),
        (gettext("Time control"), time_control.text),
        (
            gettext("Rules of"),
            gettext("{day}, edition {edition}").format(
                day=day_in_words(day), edition=rules.edition
            ),
        ),
        (gettext("Bonus"), _bonus_in_words(rules, games)),
    ]


def _bonus_in_words(rules: Rules, games: int | None) -> str:
    least, counted = rules.bonus_from_games, rules.bonus_counts_at_least
    multiplier = constant(rules.bonus_multiplier)
    if games is None:
        return gettext(
            "from {least} games on; what a result gains beyond {multiplier} × √m "
            "points is doubled (m is the number of games, at least {counted})"
        ).format(least=least, multiplier=multiplier, counted=counted)
    if games < least:
        return gettext("none: {games} of at least {least} games").format(
            games=games, least=least
        )
    threshold = plain(bonus_threshold(games, rules))
    return gettext(
        "what {games} games gain beyond {multiplier} × √{max} = "
        "{threshold} points is doubled"
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
