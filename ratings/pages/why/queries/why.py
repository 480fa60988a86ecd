"""The derivation of a rating, recomputed from the stored inputs and compared."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from django.db.models import Q
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from events.checks.messages import translated
from players.models import Player
from players.models.player import mid_year
from ratings.access import RatingViewer
from ratings.decisions.floors.queries.floors import numbers_of
from ratings.decisions.matches.queries import EarlierMatch, earlier_matches
from ratings.engine import ENGINE_VERSION
from ratings.engine.explanation import Explanation, explain
from ratings.engine.inputs import Kind, PlayerId, RatingInput
from ratings.engine.rule_history import NoRuleInForce
from ratings.engine.rules import Rules
from ratings.engine.section import Entry, run_steps
from ratings.engine.systems import System
from ratings.ledger.queries.engine_errors import refusal
from ratings.models import Calculation, RatingChange
from ratings.pages.why.queries.rules_used import rules_used
from ratings.pages.why.queries.step_builder import StepBuilder
from ratings.pages.why.queries.steps import Figures, Person, Rights
from ratings.pages.why.queries.what_if import what_if

# The values compared with the ledger: the column of each, and its label.
COMPARED_VALUES = {
    "post": ("post_rating", _("the new rating")),
    "post_games": ("post_games", _("the games after")),
    "start": ("initial_rating", _("the starting value")),
    "start_games": ("initial_games", _("the games of the starting value")),
    "effective_games": ("effective_games", _("the effective games")),
    "formula": ("formula", _("the formula")),
    "score": ("half_points", _("the score")),
    "games": ("games", _("the games")),
    "expected": ("expected", _("the expected score")),
    "k": ("k", _("K")),
    "bonus": ("bonus", _("the bonus")),
    "first_pass": ("intermediate", _("the first pass")),
    "floor": ("floor_used", _("the floor")),
    "ceiling": ("ceiling_used", _("the ceiling")),
}


class ExplanationError(Exception):
    """The rating cannot be recomputed, for the reason in the message."""


@dataclass(frozen=True, slots=True)
class Difference:
    """A number of the ledger that differs from the engine's.

    *stored* and *computed* are None if the reader may not see them.
    """

    name: Promise
    stored: object = None
    computed: object = None


@dataclass(frozen=True, slots=True)
class WhyPage:
    """A derivation, its comparison with the ledger, and how precise its figures are."""

    outcome: Figures
    rules: Rules
    steps: list[Figures]
    differences: list[Difference]
    is_exact: bool
    has_about: bool
    rules_used: list[tuple[str, str, str, str]]
    engine_version: str = ENGINE_VERSION
    is_stored: bool = True
    is_only_about: bool = False
    what_if: Sequence[str] = ()


def calculation_of(event_id: str, number: int, system: System) -> Calculation | None:
    return (
        Calculation.objects.filter(
            section__event__event_id=event_id,
            section__number=number,
            system=system,
            is_current=True,
        )
        .select_related("section__event", "inputs")
        .first()
    )


def why_of(
    calculation: Calculation,
    inputs: tuple[RatingInput, Rules],
    player: Player,
    reader: RatingViewer,
    name: str,
) -> WhyPage | None:
    """Recompute a player's result; None if they were not in the section.

    *inputs* are those of the calculation. Raises ExplanationError if this engine cannot
    rate them. Without a *name* the player is the *reader*.
    """
    rating_input, rules = inputs
    if all(one.id != player.pk for one in rating_input.competitors):
        return None
    try:
        steps = run_steps(rating_input, rules)
        explanation = explain(rating_input, rules, player.pk, steps)
    except NoRuleInForce as missing:
        raise ExplanationError(translated(refusal(missing))) from missing
    met = _opponents(rating_input, player)
    lines = _lines_of(calculation, [player.pk, *met])
    change = lines.get(player.pk)
    entries = [one for one in steps.entries if one.competitor.id in {player.pk, *met}]
    working = StepBuilder(
        rating_input,
        rules,
        explanation,
        met,
        rights=Rights(
            is_exact=reader.sees_all,
            is_own=player.pk in reader.own,
            can_see_age_starts=reader.is_office,
            can_see_sources=reader.sees_all or not player.is_name_hidden,
        ),
        age_starts=_age_starts(rating_input.system, rules, entries, lines),
        matches=_earlier_matches(calculation, rating_input, player),
        has_year_only=any(
            one.id == player.pk
            and player.birth_year is not None
            and one.birth_date == mid_year(player.birth_year) != player.birth_date
            for one in rating_input.competitors
        ),
    )
    return WhyPage(
        outcome=working.outcome(name),
        rules=rules,
        what_if=what_if(rating_input, rules, player.pk, met, working.whole),
        steps=working.steps(),
        differences=differences(
            change, _computed_values(explanation), reader.is_office
        ),
        is_stored=change is not None,
        is_exact=reader.sees_all,
        has_about=working.has_about,
        is_only_about=working.is_only_about,
        rules_used=rules_used(explanation, rating_input, rules),
    )


def _lines_of(
    calculation: Calculation, players: list[Any]
) -> dict[PlayerId, RatingChange]:
    """Return the lines of these players."""
    lines = RatingChange.objects.filter(calculation=calculation, player__in=players)
    return {line.player_id: line for line in lines}


def _age_starts(
    system: System,
    rules: Rules,
    entries: Collection[Entry],
    lines: Mapping[PlayerId, RatingChange],
) -> dict[PlayerId, list[float]]:
    """Return the starts by age that ratings of these players may still equal.

    The lines have those of the ratings before and after. For a start blended from other
    ratings, and for a player without a game, the source lines have them.
    """
    asked: dict[PlayerId, list[tuple[str, float]]] = {}
    starts: dict[PlayerId, list[float]] = {}
    for entry in entries:
        one, line = entry.competitor, lines.get(entry.competitor.id)
        known = [line.pre_age_start, line.age_start] if line else []
        starts[one.id] = [start for start in known if start is not None]
        if one.rating is not None and line is None:
            asked[one.id] = [(system, one.rating)]
        elif one.rating is None and entry.start.games == 0:
            is_telling = entry.start.rating < rules.age_start.highest
            starts[one.id] += [entry.start.rating] if is_telling else []
        elif one.rating is None and one.sources:
            asked[one.id] = [(source.source, source.rating) for source in one.sources]
    if asked:
        found = _age_based(asked)
        for pk, ratings in asked.items():
            starts[pk] += [
                rating for of, rating in ratings if (pk, of, rating) in found
            ]
    return starts


def _age_based(players: Collection[PlayerId]) -> set[tuple[PlayerId, str, float]]:
    """Return player, system and rating of lines that still equal an age-based start."""
    lines = RatingChange.objects.filter(
        Q(player__in=players) | Q(player__merged_into__in=players),
        age_start__isnull=False,
    ).order_by()
    return {
        (owner or pk, system, rating)
        for pk, owner, system, rating in lines.values_list(
            "player_id", "player__merged_into", "calculation__system", "post_rating"
        )
    }


def _earlier_matches(
    calculation: Calculation, rating_input: RatingInput, player: Player
) -> dict[tuple[date, float], EarlierMatch]:
    """Return the earlier matches of a match by day and change, as in the inputs."""
    if rating_input.kind is not Kind.MATCH:
        return {}
    matches = earlier_matches(
        numbers_of(player),
        System(calculation.system),
        day=rating_input.end_date,
        before=calculation.section_id,
    )
    return {(match.day, match.change): match for match in matches}


def _opponents(rating_input: RatingInput, player: Player) -> dict[PlayerId, Person]:
    met = {
        one
        for game in rating_input.games
        if player.pk in (game.a, game.b)
        for one in (game.a, game.b)
    }
    return {
        pk: Person(other.name, other.get_absolute_url(), other.is_name_hidden)
        for pk, other in Player.objects.in_bulk(met - {player.pk}).items()
    }


def differences(
    change: RatingChange | None, computed: Mapping[str, object], with_numbers: bool
) -> list[Difference]:
    """Compare the ledger with the engine, to the last bit."""
    if change is None:
        return []
    found = []
    for key, (column, name) in COMPARED_VALUES.items():
        stored = getattr(change, column)
        if key in computed and stored != computed[key]:
            numbers = (stored, computed[key]) if with_numbers else ()
            found.append(Difference(name, *numbers))
    return found


def _computed_values(why: Explanation) -> dict[str, object]:
    final, first = why.final, why.intermediate
    standard = final.standard if final else None
    return {
        "post": why.post,
        "post_games": why.post_games,
        "start": why.start.rating,
        "start_games": why.start.games,
        "effective_games": why.effective_games,
        "formula": why.formula.value if why.formula else "none",
        "score": final.score if final else 0,
        "games": len(final.games) if final else 0,
        "expected": standard.expected if standard else None,
        "k": standard.k if standard else None,
        "bonus": standard.bonus if standard else None,
        "first_pass": first.result if first else None,
        "floor": why.floor,
        "ceiling": why.ceiling,
    }
