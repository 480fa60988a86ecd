"""A rating derived step by step, from the numbers of `ratings.engine.explanation`.

The records contain only what the reader may see (`ratings.pages.why.queries.steps`).
"""

from collections.abc import Mapping, Sequence
from datetime import date

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from ratings.decisions.matches.queries import EarlierMatch, remaining_limit_text
from ratings.engine.explanation import (
    ExplainedGame,
    Explanation,
    Origin,
    SpecialFormulaStep,
    StandardFormulaStep,
    StepExplanation,
)
from ratings.engine.floors import lowered_floor
from ratings.engine.initialization import BY_AGE, Basis, SourceShare
from ratings.engine.inputs import Kind, PlayerId, RatingInput, Record
from ratings.engine.matches import MatchChange, match_nets, window_starts
from ratings.engine.numbers import official
from ratings.engine.results import Formula
from ratings.engine.rules import Rules
from ratings.engine.systems import Body, System
from ratings.ledger.queries.published_ratings import published_number
from ratings.pages.why.mathml import operand
from ratings.pages.why.queries.steps import FigureFormatter, Figures, Person, Rights
from ratings_site.common.ui.formatting import (
    ApproximateRating,
    decimal_rating,
    format_constant,
    format_decimal,
    format_rating,
)

ORIGINS = {
    Origin.PRE_EVENT: _("before the section"),
    Origin.INITIAL: _("initial rating"),
    Origin.AGE_START: _("starting value by age"),
    Origin.FIRST_ESTIMATE: _("first estimate"),
    Origin.INTERMEDIATE: _("after the first pass"),
}
RECORDS = {
    Record.MIXED: _("wins and losses or draws"),
    Record.ALL_WINS: _("only wins"),
    Record.ALL_LOSSES: _("only losses"),
    Record.NONE: _("no rated games"),
}
# The titles of the three passes, by step of the rules.
PASSES = {3: _("First estimate"), 4: _("First pass"), 5: _("Second pass")}
KINDS = {
    Kind.SWISS: _("Swiss"),
    Kind.ROUND_ROBIN: _("round robin"),
    Kind.DOUBLE_SWISS: _("double-game Swiss"),
    Kind.DOUBLE_ROUND_ROBIN: _("double round robin"),
    Kind.MATCH: _("match"),
    Kind.OTHER: _("other"),
}


class StepBuilder(FigureFormatter):
    """Builds the steps for one player of a section.

    *matches* are the earlier matches of a match by day and change. *is_estimate*: ages
    are not used. *has_year_only*: the player's age counts from the middle of a year.
    """

    def __init__(
        self,
        rating_input: RatingInput,
        rules: Rules,
        explanation: Explanation,
        people: Mapping[PlayerId, Person],
        *,
        rights: Rights | None = None,
        age_starts: Mapping[PlayerId, Sequence[float]] | None = None,
        matches: Mapping[tuple[date, float], EarlierMatch] | None = None,
        is_estimate: bool = False,
        has_year_only: bool = False,
    ) -> None:
        super().__init__(rules, rights or Rights(), explanation.id, age_starts or {})
        self.rating_input = rating_input
        self.why = explanation
        self.people = people
        self.matches = matches or {}
        self.is_estimate = is_estimate
        self.has_year_only = has_year_only
        self.competitor = next(
            one for one in rating_input.competitors if one.id == explanation.id
        )
        is_by_age = explanation.start.basis in BY_AGE
        self.is_source_hidden = not self.rights.can_see_sources and any(
            isinstance(one.source.source, Body) for one in explanation.start.shares
        )
        self.is_start_hidden = is_by_age and not self.rights.can_see_start
        self._has_shown_expectancy = False

    def outcome(self, name: str) -> Figures:
        """Return the outcome; without a name, it is the reader's.

        *kind* is none (no rated game), newcomer, standard, special or abroad. Limits
        that are not empty apply to the result.
        """
        final, why, before = self.why.final, self.why, self.competitor.rating
        if final is None or why.post is None:
            return {"kind": "none", "name": name, "score": 0, "games": 0}
        standard = final.standard
        outcome = {
            "kind": "newcomer" if before is None else "special",
            "name": name,
            "score": final.score,
            "games": len(final.games),
            "move": None if before is None else self.move(before, why.post),
            "post": format_rating(self.whole(why.post)),
            "match_limited": self._match_limited(),
            "floor": self.limit(why.floor),
            "ceiling": self.limit(why.ceiling),
        }
        if before is not None and standard is not None:
            expected = standard.expected, final.score
            outcome |= {
                "kind": "standard",
                "expected": self.expected(*expected),
                "expected_short": self.expected_short(*expected),
            }
        if standard is not None and official(standard.bonus):
            outcome["bonus"] = self.points(standard.bonus, 1)
        return outcome

    def _match_limited(self) -> str:
        limited = self.why.match_limited
        return "" if limited is None else self.own_rating(limited)

    @property
    def is_only_about(self) -> bool:
        """Return whether the reader sees the player's rating to the nearest 50 only."""
        around = self.competitor.rating, self.why.post
        return any(self._is_about(one) for one in around if one is not None)

    def steps(self) -> list[Figures]:
        """Return all steps, in the order in which the office computes them.

        With a hidden source, there are none after the initial rating (R₀): their
        formulas can be solved for it.
        """
        why = self.why
        steps = [self._rating_before()]
        if self.competitor.rating is None:
            steps.append(self._initial())
        if self.is_source_hidden:
            return steps
        steps.append(self._games_worth())
        if why.final is not None and why.intermediate is not None:
            steps.append(self._formula_choice())
            passes = (why.first_estimate, why.intermediate, why.final)
            steps += [self._pass(one) for one in passes if one is not None]
            if why.final.standard is not None:
                steps.append(self._bonus(why.final.standard))
            steps += [self._limits(why.final), self._result(why.final)]
        return steps

    # --- Before the formulas ---

    def _rating_before(self) -> Figures:
        """Return the state before. *rating* is None for a newcomer."""
        rating_input, mine, final = self.rating_input, self.competitor, self.why.final
        return {
            "template": "ratings/pages/why/known.html",
            "rating": None if mine.rating is None else self.own_rating(mine.rating),
            "games": mine.games,
            "record": RECORDS[mine.record],
            "floor": self.limit(mine.floor),
            "ceiling": self.limit(mine.ceiling),
            "played": len(final.games) if final else 0,
            "system": rating_input.system.label,
            "time_control": rating_input.time_control.text,
            "kind": KINDS[rating_input.kind],
            "starts": rating_input.start_date,
            "ends": rating_input.end_date,
        }

    def _initial(self) -> Figures:
        """Return the initial rating.

        Without a blend or a start by age, it was entered manually. A hidden start by
        age has neither *rating* nor *age*, a blend with a hidden source no *rating*.
        """
        start, is_hidden = self.why.start, self.is_start_hidden or self.is_source_hidden
        is_by_age = start.basis in BY_AGE
        return {
            "template": "ratings/pages/why/initial.html",
            "rating": None if is_hidden else self.own_rating(start.rating),
            "is_by_age": is_by_age,
            "is_estimate": self.is_estimate,
            "blend": self._blend() if start.basis is Basis.BLEND else None,
            "age": self._age() if is_by_age and not self.is_start_hidden else None,
            "has_year_only": self.has_year_only and self.rights.can_see_start,
        }

    def _age(self) -> Figures:
        """Return a start by age; *end* says whether it is the lowest or the highest."""
        start, formula = self.why.start, self.rules.age_start
        end = ""
        is_inside = formula.lowest < start.rating < formula.highest
        if start.basis is Basis.AGE and not is_inside:
            end = "lowest" if start.rating <= formula.lowest else "highest"
        shown = format_constant if end else decimal_rating
        return {
            "basis": start.basis.value,
            "rating": shown(start.rating),
            "end": end,
            "points_per_year": format_constant(formula.points_per_year),
            "years": format_decimal(start.rating / formula.points_per_year, 4),
        }

    def _blend(self) -> Figures:
        """Return the blend of the sources; the age in a weight is not public.

        With more decimals of the weight, the age could be computed from it. If it
        *has_ages*, the columns include the rating by age (P) and its dependents (Z, S).
        Ratings in *products* and *average* are operands of a formula. With a hidden
        source, there are only *sources*.
        """
        start, shares = self.why.start, self.why.start.shares
        places = 2 if self.rights.can_see_start else 1
        weights = [format_decimal(one.weight, places) for one in shares]
        if self.is_source_hidden:
            return {"sources": [self._source(one) for one in shares]}
        return {
            "sources": [self._source(one) for one in shares],
            "has_ages": self.rights.can_see_start,
            "products": [
                f"{weight} × {operand(self.own_rating(one.converted))}"
                for one, weight in zip(shares, weights, strict=True)
            ],
            "weights": weights,
            "average": operand(self.own_rating(start.blended or start.rating)),
            "rounded": format_rating(self.whole(start.rating)),
            "games": start.games,
            "total_weight": format_decimal(start.total_weight or 0.0, places),
        }

    def _source(self, share: SourceShare) -> Figures:
        """Return a rating in another system, with the figures of its table row.

        A hidden one has a *name* only.
        """
        source = share.source.source
        name = gettext(source.label) if isinstance(source, System) else source.value
        if self.is_source_hidden and isinstance(source, Body):
            return {"name": name}
        figures = [
            self.own_rating(share.converted),
            str(share.game_factor),
            str(share.staleness_days),
        ]
        if self.rights.can_see_start:
            figures += [
                format_decimal(share.age_rating),
                format_decimal(share.strength, 3),
                format_decimal(share.staleness_factor, 4),
                format_decimal(share.weight, 3),
            ]
        else:
            figures.append(format_decimal(share.weight, 1))
        return {
            "name": name,
            "day": share.source.day,
            "rating": self.own_rating(share.source.rating),
            "weighed": figures,
        }

    def _games_worth(self) -> Figures:
        why = self.why
        if why.start.games == 0:
            return {
                "template": "ratings/pages/why/games_worth.html",
                "worth": self.worth(why.effective_games),
            }
        return self.effective_games_step(
            why.start.rating,
            why.start.games,
            why.most_effective_games,
            why.effective_games,
        )

    def _formula_choice(self) -> Figures:
        why = self.why
        reason = why.reason.value if why.reason else ""
        if self.competitor.rating is None and why.start.games == 0:
            reason = "newcomer"
        return {
            "template": "ratings/pages/why/which_formula.html",
            "is_special": why.formula is Formula.SPECIAL,
            "reason": reason,
            "games": why.start.games,
        }

    # --- The passes ---

    def _pass(self, working: StepExplanation) -> Figures:
        """Return one of the three passes; *number* is the step of the rules."""
        special, standard = working.special, working.standard
        games = [self._row(working, line) for line in working.games]
        is_at_lowest = working.computed != working.result and working.step != 3
        return {
            "template": "ratings/pages/why/pass.html",
            "title": PASSES[working.step],
            "number": working.step,
            "result": self._result_of(working, working.result),
            "games": games,
            "score": working.score,
            "special": self._special(working, special, games) if special else None,
            "standard": self._standard(working, standard, games) if standard else None,
            "lowest": format_constant(self.why.lowest) if is_at_lowest else "",
        }

    def _result_of(self, working: StepExplanation, rating: float) -> str:
        return self.own_rating(rating) if working.step == 5 else self.rating(rating)

    def _row(self, working: StepExplanation, line: ExplainedGame) -> Figures:
        """Return a game; *rating* is None if it is a hidden start.

        *expected* is None if it would reveal the rating.
        """
        is_rating_hidden = self._hides_start(line)
        is_about = self._is_only_about(line) or self._is_about(working.result)
        is_share_hidden = is_rating_hidden or (working.special is not None and is_about)
        shown = None if is_rating_hidden else self.rating(line.rating, line.opponent)
        return {
            "opponent": self.people[line.opponent],
            "score": line.score,
            "rating": shown,
            "origin": ORIGINS[line.origin],
            "is_by_age": line.origin is Origin.AGE_START,
            "expected": None if is_share_hidden else self.share(line.expectancy),
        }

    def _hides_start(self, line: ExplainedGame) -> bool:
        """Return whether the opponent's start is hidden: for the age, or the name."""
        if line.origin is Origin.INITIAL and not self.rights.is_exact:
            return self.people[line.opponent].is_name_hidden
        return line.origin is Origin.AGE_START and not self.rights.can_see_age_starts

    def _is_only_about(self, line: ExplainedGame) -> bool:
        return self._hides_start(line) or self._is_about(line.rating, line.opponent)

    def _is_about(self, rating: float, player: PlayerId | None = None) -> bool:
        """Return whether the reader may see a rating as "about" only."""
        if self.rights.is_exact or (player is None and self.rights.is_own):
            return False
        return isinstance(self.published(rating, player), ApproximateRating)

    def _special(
        self,
        working: StepExplanation,
        special: SpecialFormulaStep,
        games: Sequence[Figures],
    ) -> Figures:
        """Return the special formula; *shares* are empty if one of them is hidden.

        *low* and *high* are empty if the range is open.
        """
        shows_expectancy = not self._has_shown_expectancy
        self._has_shown_expectancy = True
        prior = self._prior(working, special) if special.prior_games > 0 else None
        shares = [one["expected"] for one in games]
        all_shares = [*shares, prior["expectancy"]] if prior else shares
        is_coarse = any(map(self._is_only_about, working.games)) or (
            prior is not None and self._is_start_only_about
        )
        return {
            "prior": prior,
            "shows_expectancy": shows_expectancy,
            "cap": format_constant(special.cap) if special.is_capped else "",
            "shares": [] if None in all_shares else shares,
            "score": self._adjusted(special),
            "nearest": operand(self._result_of(working, special.nearest)),
            "has_range": special.low != special.high,
            "low": self._bound(special.low, is_coarse=is_coarse),
            "high": self._bound(special.high, is_coarse=is_coarse),
            "taken": self._prior_rating(special) or "R₀",
        }

    def _bound(self, bound: float | None, *, is_coarse: bool) -> str:
        """Format a bound of a range, which would reveal the rating behind it."""
        if bound is None:
            return ""
        if self.rights.is_exact:
            return format_decimal(bound)
        return format_rating(published_number(bound, bound if is_coarse else None))

    @property
    def _is_start_only_about(self) -> bool:
        return self.is_start_hidden or self._is_about(self.why.start.rating)

    def _adjusted(self, special: SpecialFormulaStep) -> str:
        return format_decimal(special.adjusted_score, 2 if self.rights.is_exact else 1)

    def _prior(self, working: StepExplanation, special: SpecialFormulaStep) -> Figures:
        """Return the rating before, which counts with the games.

        *rating* is None if it is a hidden start by age.
        """
        is_share_hidden = self._is_start_only_about or self._is_about(working.result)
        places = 4 if self.rights.is_exact else 2
        share = format_decimal(special.prior_expectancy, places)
        return {
            "rating": self._prior_rating(special),
            "worth": self.worth(special.prior_games),
            "score": format_constant(working.score / 2),
            "adjusted_score": self._adjusted(special),
            "expectancy": None if is_share_hidden else share,
        }

    def _prior_rating(self, special: SpecialFormulaStep) -> str | None:
        if self.is_start_hidden:
            return None
        if self.has_own_decimals:
            return decimal_rating(special.prior)
        start = self.published(self.why.start.rating)
        return format_rating(type(start)(start + special.shift))

    def _standard(
        self,
        working: StepExplanation,
        standard: StandardFormulaStep,
        games: Sequence[Figures],
    ) -> Figures:
        """Return the standard formula with its numbers.

        *result* and *rating* are operands of a formula, *shares* the terms of
        *expected*, empty if one is hidden; *bonus* is empty if there is none.
        """
        shares = [one["expected"] for one in games]
        return {
            "result": operand(self._result_of(working, working.computed)),
            "shares": [] if None in shares else shares,
            "rating": operand(self.own_rating(self.why.start.rating)),
            "k": self.k(standard.k),
            "score": format_constant(working.score / 2),
            "expected": self.share(standard.expected),
            "bonus": self.points(standard.bonus) if standard.bonus else "",
            "k_step": self._k(working, standard) if working.step == 4 else None,
        }

    def _k(self, working: StepExplanation, standard: StandardFormulaStep) -> Figures:
        """Return K with its numerator in letters and in numbers."""
        rules, rating = self.rules, self.why.start.rating
        full = in_letters = in_numbers = format_constant(rules.k_numerator)
        if standard.is_lower_k and rating >= rules.lower_k.flat_from:
            in_letters = in_numbers = format_constant(rules.lower_k.flat)
        elif standard.is_lower_k:
            slope, most = (
                format_constant(rules.lower_k.slope),
                format_constant(rules.lower_k.intercept),
            )
            in_letters = f"({full}({most} − {slope} R))"
            in_numbers = f"({full}({most} − {slope} × {self.own_rating(rating)}))"
        return {
            "is_lower": standard.is_lower_k,
            "in_letters": in_letters,
            "in_numbers": in_numbers,
            "worth": self.worth(self.why.effective_games),
            "games": len(working.games),
            "k": self.k(standard.k),
        }

    # --- After the formulas ---

    def _bonus(self, standard: StandardFormulaStep) -> Figures:
        template = "ratings/pages/why/bonus.html"
        if standard.no_bonus is not None:
            return {"template": template, "reason": standard.no_bonus.value}
        return {"template": template} | self.bonus(
            standard.bonus,
            standard.change,
            standard.counted_games or 0,
            standard.threshold or 0.0,
        )

    def _limits(self, final: StepExplanation) -> Figures:
        """Return match limits, floor and ceiling; empty ones did not apply."""
        why, mine = self.why, self.competitor
        level = why.lowest if mine.floor is None else max(why.lowest, mine.floor)
        is_limited = why.floor is not None or why.match_limited is not None
        return {
            "template": "ratings/pages/why/limits.html",
            "computed": self.own_rating(final.computed) if is_limited else "",
            "floor": format_constant(level),
            "is_at_floor": why.floor is not None,
            "ceiling": self.limit(mine.ceiling),
            "is_at_ceiling": why.ceiling is not None,
            "is_floor_request": why.floor_request
            and lowered_floor(int(level), self.rules) is not None,
            "match": self._match_limits(final),
            "match_limited": self._match_limited(),
        }

    def _match_limits(self, final: StepExplanation) -> Figures | None:
        """Return the remainder of each limit, in the direction of the change.

        *opens* and *remaining* are of the two windows.
        """
        before, earlier = self.competitor.rating, self.competitor.match_changes
        if self.why.match_limit is None or before is None:
            return None
        nets = match_nets(self.rating_input.end_date, earlier)
        wins = final.computed > before
        remaining = [
            remaining_limit_text(
                limit,
                self._net(-net if wins else net),
                2 if self.rights.is_exact else 0,
            )
            for net, limit in (
                (nets.in_180_days, self.rules.match_limit_180_days),
                (nets.in_3_years, self.rules.match_limit_3_years),
            )
        ]
        return {
            "earlier": [self._earlier(change) for change in earlier],
            "wins": wins,
            "opens": window_starts(self.rating_input.end_date),
            "remaining": remaining,
        }

    def _earlier(self, change: MatchChange) -> Figures:
        """Return the change by an earlier match, which may be no longer on record."""
        match = self.matches.get((change.day, change.change))
        return {
            "title": match.title if match else "",
            "url": match.url if match else "",
            "day": change.day,
            "change": self.points(change.change),
        }

    def _net(self, net: float) -> float:
        return net if self.rights.is_exact else float(official(net))

    def _result(self, final: StepExplanation) -> Figures:
        why = self.why
        return self.result(
            self.competitor.rating,
            why.post or 0.0,
            why.start.games,
            len(final.games),
            why.post_games,
        )
