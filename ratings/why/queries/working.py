"""A rating derived step by step, from the numbers of `ratings.engine.explanation`.

What may be shown of them is decided by `ratings.ledger.queries.privacy`, and acted on
here: the records hold nothing that the reader may not see.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
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
from ratings.engine.initialization import Basis, SourceShare
from ratings.engine.matches import MatchChange, match_nets, windows_open
from ratings.engine.numbers import official
from ratings.engine.outcomes import Formula
from ratings.engine.rules import Rules
from ratings.engine.systems import System
from ratings.ledger.queries.privacy import Curtain, Shown, difference
from ratings.matches.queries import EarlierMatch, room_in_words
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
    Move,
    Outcome,
    Pass,
    Person,
    Prior,
    Result,
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


@dataclass(frozen=True, slots=True)
class Seen:
    """How much of the ratings on the page its reader sees.

    *before* and *after* are the player's. *is_whole* leaves decimals out; *is_shut*
    leaves out how the rating came about, because it would give a start back. *sources*
    are the ratings that a start was blended from, where the reader sees less of them;
    *rounds_sources* leaves out their decimals, which the page may have otherwise.
    """

    before: float | None
    after: float | None
    is_own: bool = True
    is_whole: bool = False
    is_shut: bool = False
    sources: Mapping[str, float] = field(default_factory=dict)
    rounds_sources: bool = False

    @property
    def is_about(self) -> bool:
        """Tell whether the player's own rating is shown rounded."""
        return isinstance(self.before, About) or isinstance(self.after, About)


class Working(Figures):
    """Makes the steps for one player of a section.

    Rounded, ratings and bonus are whole numbers, all others have two decimals: so it
    is where a start is hidden, and where *has_rounded_ratings* says that a rating
    before came out of such a section. *is_estimate* says that no age takes part.
    """

    def __init__(
        self,
        card: SectionCard,
        rules: Rules,
        explanation: Explanation,
        curtain: Curtain,
        people: dict[PlayerId, Person],
        has_rounded_ratings: bool = False,
        matches: Mapping[tuple[date, float], EarlierMatch] | None = None,
        *,
        is_estimate: bool = False,
        seen: Seen | None = None,
    ) -> None:
        self.card = card
        self.rules = rules
        self.why = explanation
        self.curtain = curtain
        self.people = people
        self.matches = matches or {}
        self.is_estimate = is_estimate
        self.competitor = next(
            one for one in card.competitors if one.id == explanation.id
        )
        self.hides_start = curtain.hides_start(explanation.id)
        self.hides_blend = curtain.hides_blend(explanation.id)
        self.seen = seen or Seen(self.competitor.rating, explanation.post)
        self.tells_decimals = curtain.rounds or has_rounded_ratings
        self.is_rounded = self.tells_decimals or self.seen.is_whole
        self._has_said_expectancy = False

    @property
    def hides_figures(self) -> bool:
        """Tell whether the reader misses a figure on the page."""
        passes = [self.why.intermediate, self.why.final]
        return self.hides_start or any(
            self._has_gaps(working) for working in passes if working is not None
        )

    def outcome(self, name: str) -> Outcome:
        """Return what happened to whom; without a name, to the reader."""
        final, why, before = self.why.final, self.why, self.competitor.rating
        if final is None or why.post is None:
            return Outcome("none", name)
        if self.seen.is_shut:
            return self._shut_outcome(name, final)
        standard = final.standard
        kind, expected, bonus = "special", "", ""
        if before is None:
            kind = "newcomer"
        elif standard is not None:
            kind, expected = "standard", self.expected(standard.expected, final.score)
        if standard is not None and standard.bonus and not self.hides_start:
            bonus = self.points(standard.bonus, 1)
        limited, floor, ceiling = why.match_limited, why.floor, why.ceiling
        return Outcome(
            kind=kind,
            name=name,
            score=final.score,
            games=len(final.games),
            expected=expected,
            move=None if before is None else self.move(before, why.post),
            post=str(official(why.post)),
            bonus=bonus,
            match_limited="" if limited is None else self.rating(limited),
            floor="" if floor is None else constant(floor),
            ceiling="" if ceiling is None else constant(ceiling),
        )

    def _shut_outcome(self, name: str, final: StepWorking) -> Outcome:
        before, after = self.seen.before, self.seen.after or 0.0
        move = None
        if before is not None and in_words(before) != in_words(after):
            way = "rises" if after > before else "falls"
            move = Move(way, in_words(before), in_words(after))
        return Outcome(
            kind="newcomer" if before is None else "shut",
            name=name,
            score=final.score,
            games=len(final.games),
            move=move,
            post=in_words(after),
        )

    def steps(self) -> list[Step]:
        """Return all steps, in the order in which the office computes them."""
        why = self.why
        steps: list[Step] = [self._known()]
        if self.competitor.rating is None:
            steps.append(self._initial())
        if self.seen.is_shut and why.final is not None:
            return [*steps, *self._hidden_bonus(why.final), self._result(why.final)]
        if self.seen.is_shut:
            return steps
        # Nothing is to be seen of these then, and the step before says so.
        if not self.hides_blend:
            steps.append(self._games_worth())
        if why.final is not None and why.intermediate is not None:
            steps.append(self._which_formula())
            if why.first_estimate is not None:
                steps.append(self._first_estimate(why.first_estimate))
            if not self.hides_blend:
                steps.append(self._pass(why.intermediate))
            steps.append(self._pass(why.final))
            if self.hides_blend:
                steps += self._hidden_bonus(why.final)
            elif why.final.standard is not None:
                steps.append(self._bonus(why.final.standard))
            steps += [self._limits(why.final), self._result(why.final)]
        return steps

    # --- Before the formulas ---

    def _known(self) -> Known:
        card, mine, final = self.card, self.competitor, self.why.final
        return Known(
            rating=None if mine.rating is None else self._seen_rating(mine.rating),
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

    def _seen_rating(self, rating: float) -> str:
        """Write the player's rating before, which may be shown rounded."""
        seen = self.seen.before
        return in_words(seen) if isinstance(seen, About) else self.rating(rating)

    def _initial(self) -> Initial:
        start = self.why.start
        is_by_age = start.basis in (Basis.AGE, Basis.ADULT, Basis.CHILD)
        return Initial(
            rating=None if self.hides_start else decimal_rating(start.rating),
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
        start, shares = self.why.start, self.why.start.shares
        sources = tuple(self._source(share) for share in shares)
        if self.hides_start:
            return Blend(sources)
        return Blend(
            sources,
            products=tuple(
                f"{plain(one.weight)} × {self._source_rating(one.converted)}"
                for one in shares
            ),
            weights=tuple(plain(one.weight) for one in shares),
            average=self._source_rating(start.blended or start.rating),
            rounded=constant(start.rating),
            games=start.games,
            total_weight=plain(start.total_weight or 0.0),
        )

    def _source(self, share: SourceShare) -> Source:
        source, weighed = share.source.source, ()
        rounds = self.seen.rounds_sources
        rating = self.seen.sources.get(source, share.source.rating)
        if not self.hides_start:
            weighed = (
                self._source_rating(share.converted),
                str(share.game_factor),
                str(share.staleness_days),
                plain(share.age_rating),
                # Of more decimals the rating could be computed.
                plain(share.strength, 2 if rounds else 3),
                plain(share.staleness_factor, 2 if rounds else 4),
                plain(share.weight, 2 if rounds else 3),
            )
        name = gettext(source.label) if isinstance(source, System) else source.value
        return Source(name, share.source.day, self._source_rating(rating), weighed)

    def _source_rating(self, rating: float) -> str:
        if self.seen.rounds_sources:
            return in_words(rating)
        return decimal_rating(rating)

    def _games_worth(self) -> GamesWorth:
        why = self.why
        if why.start.games == 0:
            return GamesWorth(worth=plain(why.effective_games))
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
        if self.hides_blend or why.reason is None:
            return WhichFormula(is_special, "hidden")
        return WhichFormula(is_special, why.reason.value, why.start.games)

    # --- The passes ---

    def _first_estimate(self, working: StepWorking) -> Pass:
        met = {self.curtain.start(line.opponent) for line in working.games}
        if self.hides_start or Shown.HIDDEN in met:
            return Pass(number=working.step, is_special=True, result=None)
        return self._shown_pass(working, Shown.EXACT)

    def _pass(self, working: StepWorking) -> Pass:
        is_final = working.step == 5
        shown = Shown.EXACT if is_final else self.curtain.intermediate(self.why.id)
        if not self.hides_blend:
            return self._shown_pass(working, shown)
        return Pass(
            number=working.step,
            is_special=working.special is not None,
            result=self._rating_shown(working.result, shown),
            games=tuple(
                GameRow(self.people[line.opponent], line.score)
                for line in working.games
            ),
            score=working.score,
            is_shut=True,
            lowest=self._lowest(working, shown),
        )

    def _shown_pass(self, working: StepWorking, shown: Shown) -> Pass:
        special, standard = working.special, working.standard
        # How a result of the special formula comes about tells the start it hides.
        tells_shares = special is None or shown is Shown.EXACT
        games = tuple(self._row(working, one, tells_shares) for one in working.games)
        of_lines = {self._line_shown(working, line) for line in working.games}
        return Pass(
            number=working.step,
            is_special=special is not None,
            result=self._rating_shown(working.result, shown),
            games=games,
            score=working.score,
            has_gaps=Shown.HIDDEN in of_lines,
            has_rounded=Shown.WHOLE in of_lines,
            special=(
                self._special(working, special, games)
                if special and shown is not Shown.HIDDEN
                else None
            ),
            standard=standard and self._standard(working, standard, games, shown),
            lowest=self._lowest(working, shown),
        )

    def _lowest(self, working: StepWorking, shown: Shown) -> str:
        """Return the 100, where it holds a result that is shown after a pass."""
        holds = working.computed != working.result and shown is Shown.EXACT
        return constant(self.why.lowest) if holds and working.step != 3 else ""

    def _row(
        self, working: StepWorking, line: ExplainedGame, tells_share: bool
    ) -> GameRow:
        shown = self._line_shown(working, line)
        share = None
        if tells_share and shown is not Shown.HIDDEN:
            share = plain(line.expectancy, 2 if self._is_coarse(working) else 3)
        return GameRow(
            opponent=self.people[line.opponent],
            score=line.score,
            rating=self._rating_shown(line.rating, shown),
            origin=ORIGINS[line.origin],
            expected=share,
        )

    def _special(
        self, working: StepWorking, special: SpecialWorking, games: tuple[GameRow, ...]
    ) -> Special:
        says_expectancy = not self._has_said_expectancy
        self._has_said_expectancy = True
        prior = self._prior(working, special) if special.prior_games > 0 else None
        cap = constant(special.cap) if special.is_capped else ""
        if self._is_coarse(working):
            return Special(prior, says_expectancy, cap)
        low, high = special.low, special.high
        # Where many ratings balance the score, the one nearest R₀ must not be hidden.
        has_range = low != high and not self.hides_start
        return Special(
            prior,
            says_expectancy,
            cap,
            shares=tuple(one.expected or "" for one in games),
            score=plain(special.adjusted_score),
            nearest=plain(special.nearest),
            has_range=has_range,
            low=plain(low) if has_range and low is not None else "",
            high=plain(high) if has_range and high is not None else "",
            taken=decimal_rating(special.prior) if has_range else "",
        )

    def _prior(self, working: StepWorking, special: SpecialWorking) -> Prior:
        return Prior(
            rating=self.rating(special.prior),
            worth=plain(special.prior_games),
            score=constant(working.score / 2),
            adjusted_score=plain(special.adjusted_score),
            expectancy=(
                "" if self._is_coarse(working) else plain(special.prior_expectancy, 4)
            ),
        )

    def _standard(
        self,
        working: StepWorking,
        standard: StandardWorking,
        games: tuple[GameRow, ...],
        shown: Shown,
    ) -> Standard:
        k_step = self._k(working, standard) if working.step == 4 else None
        if shown is not Shown.EXACT:
            result = str(official(working.result))
            return Standard(self.is_rounded, result, k_step)
        shares = tuple(one.expected for one in games if one.expected is not None)
        return Standard(
            self.is_rounded,
            self.rating(working.computed),
            k_step,
            shares=shares if len(shares) == len(games) else (),
            rating=self.rating(self.why.start.rating),
            k=plain(standard.k, 2 if self.is_rounded else 3),
            score=constant(working.score / 2),
            expected=self.share(standard.expected),
            bonus=self.points(standard.bonus) if standard.bonus else "",
        )

    def _k(self, working: StepWorking, standard: StandardWorking) -> K:
        rules, rating = self.rules, self.why.start.rating
        full = in_letters = in_numbers = constant(rules.k_numerator)
        if standard.is_lower_k and rating >= rules.lower_k.flat_from:
            in_letters = in_numbers = constant(rules.lower_k.flat)
        elif standard.is_lower_k:
            slope, most = constant(rules.lower_k.slope), rules.lower_k.intercept
            in_letters = f"({full}({constant(most)} − {slope} R))"
            in_numbers = f"({full}({constant(most)} − {slope} × {plain(rating)}))"
        return K(
            is_rounded=self.is_rounded,
            is_lower=standard.is_lower_k,
            in_letters=in_letters,
            in_numbers="" if self.is_rounded else in_numbers,
            worth=plain(self.why.effective_games),
            games=len(working.games),
            k=plain(standard.k, 2 if self.is_rounded else 3),
        )

    def _line_shown(self, working: StepWorking, line: ExplainedGame) -> Shown:
        if working.step == 3:
            return self.curtain.start(line.opponent)
        if working.step == 4:
            return self.curtain.strength(line.opponent)
        return self.curtain.intermediate(line.opponent)

    def _is_coarse(self, working: StepWorking) -> bool:
        return self.is_rounded or self._has_gaps(working)

    def _has_gaps(self, working: StepWorking) -> bool:
        return any(
            self._line_shown(working, line) is not Shown.EXACT for line in working.games
        )

    def _rating_shown(self, rating: float, shown: Shown) -> str | None:
        if shown is Shown.EXACT:
            return self.rating(rating)
        return None if shown is Shown.HIDDEN else f"≈ {official(rating)}"

    # --- After the formulas ---

    def _bonus(self, standard: StandardWorking) -> Bonus:
        if standard.no_bonus is not None:
            return Bonus(self.is_rounded, reason=standard.no_bonus.value)
        return self.bonus(
            standard.bonus,
            standard.change,
            standard.counted_games or 0,
            standard.threshold or 0.0,
        )

    def _hidden_bonus(self, final: StepWorking) -> list[Step]:
        """Say of a bonus what its mark in the crosstable says, and no more."""
        standard = final.standard
        is_given = standard is not None and standard.bonus > 0
        return [Bonus(self.is_rounded, is_hidden=True)] if is_given else []

    def _limits(self, final: StepWorking) -> Limits:
        why, mine = self.why, self.competitor
        level = why.lowest if mine.floor is None else max(why.lowest, mine.floor)
        acts = why.floor is not None or why.match_limited is not None
        return Limits(
            computed=self.rating(final.computed) if acts else "",
            floor=constant(level),
            is_floor_acting=why.floor is not None,
            ceiling="" if mine.ceiling is None else constant(mine.ceiling),
            is_ceiling_acting=why.ceiling is not None,
            is_floor_request=why.floor_request,
            match=self._match_limits(final),
            match_limited=(
                "" if why.match_limited is None else self.rating(why.match_limited)
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
                self._whole_if_rounded(-net if wins else net),
                0 if self.is_rounded else 2,
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

    def _whole_if_rounded(self, net: float) -> float:
        return float(official(net)) if self.is_rounded else net

    def _result(self, final: StepWorking) -> Result:
        why, before, post = self.why, self.seen.before, self.seen.after or 0.0
        has_decimals = self.seen.is_own and not self.tells_decimals
        return Result(
            new=in_words(post),
            exact=decimal_rating(post) if has_decimals else "",
            change=difference(before, post),
            games_before=None if self.hides_start else why.start.games,
            played=len(final.games),
            games=why.post_games,
            is_established=why.post_games > self.rules.established_after,
        )
