"""Why a rating is what it is: computed again from the stored inputs, and compared."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date

from django.db.models import OuterRef, Subquery
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from events.checks.saying import said
from players.models import Player
from ratings.access import StartReader
from ratings.engine import ENGINE_VERSION
from ratings.engine.cards import Competitor, Kind, SectionCard, SourceRating
from ratings.engine.dated import NoRuleInForce
from ratings.engine.explanation import Explanation, explain
from ratings.engine.rules import Rules
from ratings.engine.section import work_through
from ratings.engine.systems import System
from ratings.floors.queries.floors import numbers_of
from ratings.ledger.queries.privacy import (
    Curtain,
    Starts,
    has_newcomers,
    is_guarded,
    newcomers_before,
    shown,
)
from ratings.ledger.queries.refusals import refusal
from ratings.matches.queries import EarlierMatch, earlier_matches
from ratings.models import Calculation, RatingChange
from ratings.why.queries.rules_used import rules_used
from ratings.why.queries.steps import Outcome, Person, Step
from ratings.why.queries.what_if import what_if
from ratings.why.queries.working import Seen, Working

# What is compared with the ledger, by the word for it.
LEDGER = {
    "post": gettext_lazy("the new rating"),
    "post_games": gettext_lazy("the games after"),
    "start": gettext_lazy("the start"),
    "start_games": gettext_lazy("the games of the start"),
    "effective_games": gettext_lazy("the effective games"),
    "formula": gettext_lazy("the formula"),
    "score": gettext_lazy("the score"),
    "games": gettext_lazy("the games"),
    "expected": gettext_lazy("the expected score"),
    "k": gettext_lazy("K"),
    "bonus": gettext_lazy("the bonus"),
    "first_pass": gettext_lazy("the first pass"),
    "floor": gettext_lazy("the floor"),
    "ceiling": gettext_lazy("the ceiling"),
}


class Unexplained(Exception):
    """What was rated cannot be computed again; the message says why."""


@dataclass(frozen=True, slots=True)
class Difference:
    """A number of the ledger that the engine does not compute again.

    *stored* and *computed* are None where the reader may not see them.
    """

    name: Promise
    stored: object = None
    computed: object = None


@dataclass(frozen=True, slots=True)
class Receipt:
    """By what a result was computed. *digest* is empty if it is not for the public:
    with it, a birth date among the inputs could be found by trying. So it could where a
    rating among them goes back to one by age, if all else is known.
    """

    edition: str
    rules_day: object
    age_day: object
    engine_version: str
    engine_now: str
    digest: str
    rules: list[tuple[str, str, str, str]]


@dataclass(frozen=True, slots=True)
class Why:
    outcome: Outcome
    rules: Rules
    what_if: list[str]
    steps: list[Step]
    differences: list[Difference]
    is_stored: bool
    hides_figures: bool
    is_rounded: bool
    is_whole: bool
    is_shut: bool
    is_about: bool
    receipt: Receipt


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
    inputs: tuple[SectionCard, Rules],
    player: Player,
    reader: StartReader,
    name: str,
) -> Why | None:
    """Compute a player's result again; None if they were not in it.

    *inputs* are what went into the calculation; raises Unexplained if this engine
    cannot rate them. *reader* tells whose initial rating may be seen. Without a *name*
    the player is the reader.
    """
    card, rules = inputs
    if all(one.id != player.pk for one in card.competitors):
        return None
    try:
        steps = work_through(card, rules)
        explanation = explain(card, rules, player.pk, steps)
        curtain = Curtain(steps, reader.may_see)
    except NoRuleInForce as missing:
        raise Unexplained(said(refusal(missing))) from missing
    mine = next(one for one in card.competitors if one.id == player.pk)
    people, has_rounded_ratings = _people_met(calculation, card, player, reader)
    has_rounded_sources = _has_rounded_sources(mine, reader)
    lines = _lines_of(calculation, [player.pk, *people])
    starts = Starts(lines)
    told = {pk: starts.told_by(line, calculation.system) for pk, line in lines.items()}
    change = lines.get(player.pk)
    working = Working(
        card,
        rules,
        explanation,
        curtain,
        people,
        has_rounded_ratings or has_rounded_sources,
        _earlier_matches(calculation, card, player),
        seen=replace(
            _seen(explanation, mine, change, lines, told, reader),
            sources=_sources_seen(mine, player, reader),
            rounds_sources=has_rounded_sources,
        ),
    )
    hides = working.tells_decimals or working.hides_figures or working.seen.is_shut
    return Why(
        outcome=working.outcome(name),
        rules=rules,
        # Rated again, a section would tell more of a start that is hidden.
        what_if=[] if hides else what_if(card, rules, player.pk, people),
        steps=working.steps(),
        differences=_differences(change, explanation, reader.is_office),
        is_stored=change is not None,
        hides_figures=working.hides_figures,
        is_rounded=working.tells_decimals,
        is_whole=working.seen.is_whole,
        is_shut=working.seen.is_shut,
        is_about=working.seen.is_about,
        receipt=_receipt(calculation, explanation, card, rules, reader.is_office),
    )


def _lines_of(
    calculation: Calculation, players: list[object]
) -> dict[int, RatingChange]:
    """Return the lines of these players."""
    lines = RatingChange.objects.filter(calculation=calculation, player__in=players)
    return {line.player_id: line for line in lines}


def _seen(
    explanation: Explanation,
    mine: Competitor,
    change: RatingChange | None,
    lines: Mapping[int, RatingChange],
    told: Mapping[int, tuple[int, int]],
    reader: StartReader,
) -> Seen:
    """Say how much of the ratings the reader sees. *told*: what those of *lines* tell.

    Where a rating on the page is shown rounded, the working would give it back.
    """
    before, after = mine.rating, explanation.post
    is_own = reader.may_see(mine.id)
    if change is not None and not is_own:
        told_before, told_after = told[change.player_id]
        before = None if before is None else shown(before, told_before)
        after = None if after is None else shown(after, told_after)
    is_guarded_here = is_guarded() and not reader.sees_all
    tells = (
        any(told[pk])
        for pk, line in lines.items()
        if not reader.may_see(pk) and (line.pre_rating is not None or line is change)
    )
    return Seen(
        before=before,
        after=after,
        is_own=is_own,
        is_whole=is_guarded_here,
        is_shut=is_guarded_here and any(tells),
    )


def _own_sources(mine: Competitor) -> list[SourceRating]:
    return [one for one in mine.sources if isinstance(one.source, System)]


def _sources_seen(
    mine: Competitor, player: Player, reader: StartReader
) -> dict[str, float]:
    """Return the ratings a start was blended from as others than the member see them.

    What one of them tells goes by its own system and games, not by the section's.
    """
    sources = _own_sources(mine)
    if not sources or reader.may_see(player.pk):
        return {}
    starts = Starts([player.pk])
    return {
        one.source: shown(one.rating, starts.told(player.pk, one.source, one.games))
        for one in sources
    }


def _has_rounded_sources(mine: Competitor, reader: StartReader) -> bool:
    """Tell whether the reader sees no decimals of what a start was blended from.

    Those of others are for nobody, and one's own are not where somebody else was
    unrated. The line is the one with the same rating: a rerate may have added others.
    """
    sources = _own_sources(mine)
    if not sources or reader.sees_all:
        return False
    if is_guarded() and not reader.may_see(mine.id):
        return True
    lines = RatingChange.objects.filter(
        has_newcomers(reader.speaks_for),
        player=mine.id,
        calculation__system__in=[one.source for one in sources],
        post_rating__in=[one.rating for one in sources],
    )
    return lines.exists()


def _earlier_matches(
    calculation: Calculation, card: SectionCard, player: Player
) -> dict[tuple[date, float], EarlierMatch]:
    """Return a match's earlier ones by day and change, as the inputs name them."""
    if card.kind is not Kind.MATCH:
        return {}
    matches = earlier_matches(
        numbers_of(player),
        System(calculation.system),
        day=card.end_date,
        before=calculation.section_id,
    )
    return {(match.day, match.change): match for match in matches}


def _people_met(
    calculation: Calculation, card: SectionCard, player: Player, reader: StartReader
) -> tuple[dict[object, Person], bool]:
    """Return the opponents, and whether a rating on the page must be rounded.

    So it is if the player's or an opponent's came out of a section in which somebody
    was unrated: one formula with its decimals would give those back.
    """
    met = {player.pk}
    for game in card.games:
        if player.pk in (game.a, game.b):
            met |= {game.a, game.b}
    line = RatingChange.objects.filter(
        calculation=calculation, player=OuterRef(OuterRef("pk"))
    )
    before = newcomers_before(Subquery(line.values("previous_id")), reader.speaks_for)
    people = Player.objects.annotate(is_rounded=Subquery(before)).in_bulk(met)
    is_rounded = any(one.is_rounded for one in people.values()) and not reader.sees_all
    opponents = {
        pk: Person(other.name, reverse("ratings:profile", args=[other.member_id]))
        for pk, other in people.items()
        if pk != player.pk
    }
    return opponents, is_rounded


def _differences(
    change: RatingChange | None, why: Explanation, with_numbers: bool
) -> list[Difference]:
    """Compare the ledger with the engine, to the last bit."""
    if change is None:
        return []
    stored, computed = _numbers_stored(change), _numbers_computed(why)
    return [
        Difference(name, stored[key], computed[key])
        if with_numbers
        else Difference(name)
        for key, name in LEDGER.items()
        if stored[key] != computed[key]
    ]


def _numbers_stored(change: RatingChange) -> dict[str, object]:
    return {
        "post": change.post_rating,
        "post_games": change.post_games,
        "start": change.initial_rating,
        "start_games": change.initial_games,
        "effective_games": change.effective_games,
        "formula": change.formula,
        "score": change.half_points,
        "games": change.games,
        "expected": change.expected,
        "k": change.k,
        "bonus": change.bonus,
        "first_pass": change.intermediate,
        "floor": change.floor_used,
        "ceiling": change.ceiling_used,
    }


def _numbers_computed(why: Explanation) -> dict[str, object]:
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


def _receipt(
    calculation: Calculation,
    why: Explanation,
    card: SectionCard,
    rules: Rules,
    is_office: bool,
) -> Receipt:
    covers_birth_dates = any(one.birth_date is not None for one in card.competitors)
    is_public = is_office or not (covers_birth_dates or is_guarded())
    return Receipt(
        edition=rules.edition,
        rules_day=calculation.rules_day,
        age_day=calculation.age_day,
        engine_version=calculation.engine_version,
        engine_now=ENGINE_VERSION,
        digest=calculation.inputs_digest if is_public else "",
        rules=rules_used(why, card, rules),
    )
