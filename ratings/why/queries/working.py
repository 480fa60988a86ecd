"""A rating derived step by step, from the numbers of `ratings.engine.explanation`.

The records hold nothing that the reader may not see (`ratings.why.queries.steps`).
"""

from collections.abc import Mapping, Sequence
from datetime import date

from django.utils.translation import gettext, gettext_lazy

from ratings.engine.cards import Kind, PlayerId, Record, SectionCard
from ratings.engine.explanation import (
    ExplainedGame,
    Explanation,
    Origin,
    SpecialWorking,
    StandardWorking,
    StepWorking,
)
from ratings.engine.initialization import BY_AGE, Basis, SourceShare
from ratings.engine.matches import MatchChange, match_nets, windows_open
from ratings.engine.numbers import official
from ratings.engine.outcomes import Formula
from ratings.engine.rules import Rules
from ratings.engine.systems import System
from ratings.ledger.queries.published import published_number
from ratings.matches.queries import EarlierMatch, room_in_words
from ratings.why.mathml import operand
from ratings.why.queries.steps import (
    AgeStart,
    Blend,
    Bonus,
    EarlierChange,
    Figures,
    GameRow,
    GamesWorth,
    Initial,
    K,
    Known,
    Limits,
    MatchLimits,
    Outcome,
    Pass,
    Person,
    Prior,
    Result,
    Rights,
    Source,
    Special,
    Standard,
    Step,
    WhichFormula,
)
from ratings_site.common.looks.figures import (
    About,
    constant,
    decimal_rating,
    in_words,
    plain,
)

ORIGINS = {
    Origin.PRE_EVENT: gettext_lazy("before the section"),
    Origin.INITIAL: gettext_lazy("initial rating"),
    Origin.AGE_START: gettext_lazy("starting value from age"),
    Origin.FIRST_ESTIMATE: gettext_lazy("first estimate"),
    Origin.INTERMEDIATE: gettext_lazy("after the first pass"),
}
RECORDS = {
    Record.MIXED: gettext_lazy("wins and losses or draws"),
    Record.ALL_WINS: gettext_lazy("only wins"),
    Record.ALL_LOSSES: gettext_lazy("only losses"),
    Record.NONE: gettext_lazy("no rated game"),
}
KINDS = {
    Kind.SWISS: gettext_lazy("Swiss"),
    Kind.ROUND_ROBIN: gettext_lazy("round robin"),
    Kind.DOUBLE_SWISS: gettext_lazy("double-game Swiss"),
    Kind.DOUBLE_ROUND_ROBIN: gettext_lazy("double round robin"),
    Kind.MATCH: gettext_lazy("match"),
    Kind.OTHER: gettext_lazy("other"),
}


class Working(Figures):
    """Makes the steps for one player of a section.

    *matches* are a match's earlier ones by day and change. *is_estimate* says that no
    age takes part.
    """

    def __init__(
        self,
        card: SectionCard,
        rules: Rules,
        explanation: Explanation,
        people: Mapping[PlayerId, Person],
        *,
        rights: Rights | None = None,
        age_starts: Mapping[PlayerId, Sequence[float]] | None = None,
        matches: Mapping[tuple[date, float], EarlierMatch] | None = None,
        is_estimate: bool = False,
    ) -> None:
        super().__init__(rules, rights or Rights(), explanation.id, age_starts or {})
        self.card = card
        self.why = explanation
        self.people = people
        self.matches = matches or {}
        self.is_estimate = is_estimate
        self.competitor = next(
            one for one in card.competitors if one.id == explanation.id
        )
        is_by_age = explanation.start.basis in BY_AGE
        self.hides_start = is_by_age and not self.rights.sees_start
        self._has_said_expectancy = False

    def outcome(self, name: str) -> Outcome:
        """Return what happened to whom; without a name, to the reader."""
        final, why, before = self.why.final, self.why, self.competitor.rating
        if final is None or why.post is None:
            return Outcome("none", name)
        standard = final.standard
        kind, expected, bonus = "special", "", ""
        if before is None:
            kind = "newcomer"
        elif standard is not None:
            kind, expected = "standard", self.expected(standard.expected, final.score)
        if standard is not None and official(standard.bonus):
            bonus = self.points(standard.bonus, 1)
        limited, floor, ceiling = why.match_limited, why.floor, why.ceiling
        return Outcome(
            kind=kind,
            name=name,
            score=final.score,
            games=len(final.games),
            expected=expected,
            move=None if before is None else self.move(before, why.post),
            post=in_words(self.whole(why.post)),
            bonus=bonus,
            match_limited="" if limited is None else self.own_rating(limited),
            floor="" if floor is None else constant(floor),
            ceiling="" if ceiling is None else constant(ceiling),
        )

    @property
    def is_only_about(self) -> bool:
        """Tell whether the reader sees the player's rating to the nearest 50 only."""
        around = self.competitor.rating, self.why.post
        return any(self._is_about(one) for one in around if one is not None)

    def steps(self) -> list[Step]:
        """Return all steps, in the order in which the office computes them."""
        why = self.why
        steps: list[Step] = [self._known()]
        if self.competitor.rating is None:
            steps.append(self._initial())
        steps.append(self._games_worth())
        if why.final is not None and why.intermediate is not None:
            steps.append(self._which_formula())
            if why.first_estimate is not None:
                steps.append(self._pass(why.first_estimate))
            steps += [self._pass(why.intermediate), self._pass(why.final)]
            if why.final.standard is not None:
                steps.append(self._bonus(why.final.standard))
            steps += [self._limits(why.final), self._result(why.final)]
        return steps

    # --- Before the formulas ---

    def _known(self) -> Known:
        card, mine, final = self.card, self.competitor, self.why.final
        return Known(
            rating=None if mine.rating is None else self.own_rating(mine.rating),
            games=mine.games,
            record=RECORDS[mine.record],
            floor="" if mine.floor is None else constant(mine.floor),
            ceiling="" if mine.ceiling is None else constant(mine.ceiling),
            played=len(final.games) if final else 0,
            system=card.system.label,
            time_control=card.time_control.text,
            kind=KINDS[card.kind],
            starts=card.start_date,
            ends=card.end_date,
        )

    def _initial(self) -> Initial:
        start = self.why.start
        is_by_age = start.basis in BY_AGE
        return Initial(
            rating=None if self.hides_start else self.own_rating(start.rating),
            is_by_age=is_by_age,
            is_estimate=self.is_estimate,
            blend=self._blend() if start.basis is Basis.BLEND else None,
            age=self._age() if is_by_age and not self.hides_start else None,
        )

    def _age(self) -> AgeStart:
        start, formula = self.why.start, self.rules.age_start
        end = ""
        is_inside = formula.lowest < start.rating < formula.highest
        if start.basis is Basis.AGE and not is_inside:
            end = "lowest" if start.rating <= formula.lowest else "highest"
        return AgeStart(
            basis=start.basis.value,
            rating=constant(start.rating) if end else decimal_rating(start.rating),
            end=end,
            points_per_year=constant(formula.points_per_year),
            years=plain(start.rating / formula.points_per_year, 4),
        )

    def _blend(self) -> Blend:
        """Weigh the sources; the age that counts in a weight is not for the public.

        With more decimals of the weight, the age could be computed from it.
        """
        start, shares = self.why.start, self.why.start.shares
        places = 2 if self.rights.sees_start else 1
        weights = tuple(plain(one.weight, places) for one in shares)
        return Blend(
            tuple(map(self._source, shares)),
            has_ages=self.rights.sees_start,
            products=tuple(
                f"{weight} × {operand(self.own_rating(one.converted))}"
                for one, weight in zip(shares, weights, strict=True)
            ),
            weights=weights,
            average=operand(self.own_rating(start.blended or start.rating)),
            rounded=in_words(self.whole(start.rating)),
            games=start.games,
            total_weight=plain(start.total_weight or 0.0, places),
        )

    def _source(self, share: SourceShare) -> Source:
        source = share.source.source
        figures = [
            self.own_rating(share.converted),
            str(share.game_factor),
            str(share.staleness_days),
        ]
        if self.rights.sees_start:
            figures += [
                plain(share.age_rating),
                plain(share.strength, 3),
                plain(share.staleness_factor, 4),
                plain(share.weight, 3),
            ]
        else:
            figures.append(plain(share.weight, 1))
        name = gettext(source.label) if isinstance(source, System) else source.value
        rating = self.own_rating(share.source.rating)
        return Source(name, share.source.day, rating, tuple(figures))

    def _games_worth(self) -> GamesWorth:
        why = self.why
        if why.start.games == 0:
            return GamesWorth(worth=self.worth(why.effective_games))
        return self.games_worth(
            why.start.rating,
            why.start.games,
            why.most_effective_games,
            why.effective_games,
        )

    def _which_formula(self) -> WhichFormula:
        why = self.why
        is_special = why.formula is Formula.SPECIAL
        if self.competitor.rating is None and why.start.games == 0:
            return WhichFormula(is_special, "newcomer")
        reason = why.reason.value if why.reason else ""
        return WhichFormula(is_special, reason, why.start.games)

    # --- The passes ---

    def _pass(self, working: StepWorking) -> Pass:
        special, standard = working.special, working.standard
        games = tuple(self._row(working, line) for line in working.games)
        holds = working.computed != working.result and working.step != 3
        return Pass(
            number=working.step,
            result=self._result_of(working, working.result),
            games=games,
            score=working.score,
            special=special and self._special(working, special, games),
            standard=standard and self._standard(working, standard, games),
            lowest=constant(self.why.lowest) if holds else "",
        )

    def _result_of(self, working: StepWorking, rating: float) -> str:
        return self.own_rating(rating) if working.step == 5 else self.rating(rating)

    def _row(self, working: StepWorking, line: ExplainedGame) -> GameRow:
        hides_share = working.special is not None and (
            self._is_only_about(line) or self._is_about(working.result)
        )
        return GameRow(
            opponent=self.people[line.opponent],
            score=line.score,
            rating=None
            if self._hides(line)
            else self.rating(line.rating, line.opponent),
            origin=ORIGINS[line.origin],
            expected=None if hides_share else self.share(line.expectancy),
        )

    def _hides(self, line: ExplainedGame) -> bool:
        return line.origin is Origin.AGE_START and not self.rights.sees_starts

    def _is_only_about(self, line: ExplainedGame) -> bool:
        return self._hides(line) or self._is_about(line.rating, line.opponent)

    def _is_about(self, rating: float, player: PlayerId | None = None) -> bool:
        """Tell whether the reader must not see more of a rating than "about"."""
        if self.rights.is_exact or (player is None and self.rights.is_own):
            return False
        return isinstance(self.published(rating, player), About)

    def _special(
        self, working: StepWorking, special: SpecialWorking, games: tuple[GameRow, ...]
    ) -> Special:
        says_expectancy = not self._has_said_expectancy
        self._has_said_expectancy = True
        prior = self._prior(working, special) if special.prior_games > 0 else None
        shares = [one.expected for one in games]
        told = [*shares, prior.expectancy] if prior else shares
        is_coarse = any(map(self._is_only_about, working.games)) or (
            prior is not None and self._is_start_only_about
        )
        return Special(
            prior=prior,
            says_expectancy=says_expectancy,
            cap=constant(special.cap) if special.is_capped else "",
            shares=() if None in told else tuple(filter(None, shares)),
            score=self._adjusted(special),
            nearest=operand(self._result_of(working, special.nearest)),
            has_range=special.low != special.high,
            low=self._bound(special.low, is_coarse=is_coarse),
            high=self._bound(special.high, is_coarse=is_coarse),
            taken=self._prior_rating(special) or "R₀",
        )

    def _bound(self, bound: float | None, *, is_coarse: bool) -> str:
        """Write an end of a range, which is so far from a rating that it tells it."""
        if bound is None:
            return ""
        if self.rights.is_exact:
            return plain(bound)
        return in_words(published_number(bound, bound if is_coarse else None))

    @property
    def _is_start_only_about(self) -> bool:
        return self.hides_start or self._is_about(self.why.start.rating)

    def _adjusted(self, special: SpecialWorking) -> str:
        return plain(special.adjusted_score, 2 if self.rights.is_exact else 1)

    def _prior(self, working: StepWorking, special: SpecialWorking) -> Prior:
        hides_share = self._is_start_only_about or self._is_about(working.result)
        return Prior(
            rating=self._prior_rating(special),
            worth=self.worth(special.prior_games),
            score=constant(working.score / 2),
            adjusted_score=self._adjusted(special),
            expectancy=(
                None
                if hides_share
                else plain(special.prior_expectancy, 4 if self.rights.is_exact else 2)
            ),
        )

    def _prior_rating(self, special: SpecialWorking) -> str | None:
        if self.hides_start:
            return None
        if self.has_own_decimals:
            return decimal_rating(special.prior)
        start = self.published(self.why.start.rating)
        return in_words(type(start)(start + special.shift))

    def _standard(
        self,
        working: StepWorking,
        standard: StandardWorking,
        games: tuple[GameRow, ...],
    ) -> Standard:
        return Standard(
            result=operand(self._result_of(working, working.computed)),
            shares=tuple(one.expected or "" for one in games),
            rating=operand(self.own_rating(self.why.start.rating)),
            k=self.k(standard.k),
            score=constant(working.score / 2),
            expected=self.share(standard.expected),
            bonus=self.points(standard.bonus) if standard.bonus else "",
            k_step=self._k(working, standard) if working.step == 4 else None,
        )

    def _k(self, working: StepWorking, standard: StandardWorking) -> K:
        rules, rating = self.rules, self.why.start.rating
        full = in_letters = in_numbers = constant(rules.k_numerator)
        if standard.is_lower_k and rating >= rules.lower_k.flat_from:
            in_letters = in_numbers = constant(rules.lower_k.flat)
        elif standard.is_lower_k:
            slope, most = (
                constant(rules.lower_k.slope),
                constant(rules.lower_k.intercept),
            )
            in_letters = f"({full}({most} − {slope} R))"
            in_numbers = f"({full}({most} − {slope} × {self.own_rating(rating)}))"
        return K(
            is_lower=standard.is_lower_k,
            in_letters=in_letters,
            in_numbers=in_numbers,
            worth=self.worth(self.why.effective_games),
            games=len(working.games),
            k=self.k(standard.k),
        )

    # --- After the formulas ---

    def _bonus(self, standard: StandardWorking) -> Bonus:
        if standard.no_bonus is not None:
            return Bonus(reason=standard.no_bonus.value)
        return self.bonus(
            standard.bonus,
            standard.change,
            standard.counted_games or 0,
            standard.threshold or 0.0,
        )

    def _limits(self, final: StepWorking) -> Limits:
        why, mine = self.why, self.competitor
        level = why.lowest if mine.floor is None else max(why.lowest, mine.floor)
        acts = why.floor is not None or why.match_limited is not None
        return Limits(
            computed=self.own_rating(final.computed) if acts else "",
            floor=constant(level),
            is_floor_acting=why.floor is not None,
            ceiling="" if mine.ceiling is None else constant(mine.ceiling),
            is_ceiling_acting=why.ceiling is not None,
            is_floor_request=why.floor_request,
            match=self._match_limits(final),
            match_limited=(
                "" if why.match_limited is None else self.own_rating(why.match_limited)
            ),
        )

    def _match_limits(self, final: StepWorking) -> MatchLimits | None:
        """Return what each limit leaves, in the direction in which the rating goes."""
        before, earlier = self.competitor.rating, self.competitor.match_changes
        if self.why.match_limit is None or before is None:
            return None
        nets = match_nets(self.card.end_date, earlier)
        wins = final.computed > before
        in_180_days, in_3_years = (
            room_in_words(
                limit,
                self._net(-net if wins else net),
                2 if self.rights.is_exact else 0,
            )
            for net, limit in (
                (nets.in_180_days, self.rules.match_limit_180_days),
                (nets.in_3_years, self.rules.match_limit_3_years),
            )
        )
        return MatchLimits(
            earlier=tuple(self._earlier(change) for change in earlier),
            wins=wins,
            opens=windows_open(self.card.end_date),
            rooms=(in_180_days, in_3_years),
        )

    def _earlier(self, change: MatchChange) -> EarlierChange:
        match = self.matches.get((change.day, change.change))
        title, url = (match.title, match.url) if match else ("", "")
        return EarlierChange(title, url, change.day, self.points(change.change))

    def _net(self, net: float) -> float:
        return net if self.rights.is_exact else float(official(net))

    def _result(self, final: StepWorking) -> Result:
        why = self.why
        return self.result(
            self.competitor.rating,
            why.post or 0.0,
            why.start.games,
            len(final.games),
            why.post_games,
        )
