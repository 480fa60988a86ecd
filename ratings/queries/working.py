"""A rating derived step by step, in words, formulas and tables ready to show.

The numbers come from `ratings.engine.explanation`; what may be shown of them is
decided by `ratings.queries.privacy`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

from django.utils.html import format_html
from django.utils.safestring import SafeString

from ratings.engine.cards import Kind, PlayerId, Record, SectionCard
from ratings.engine.explanation import (
    Explanation,
    FormulaReason,
    GameLine,
    Origin,
    SpecialWorking,
    StandardWorking,
    StepWorking,
)
from ratings.engine.initialization import Basis
from ratings.engine.matches import MatchChange, match_nets, windows_open
from ratings.engine.numbers import official
from ratings.engine.rules import Rules
from ratings.engine.standard import NoBonus
from ratings.engine.systems import Body, System
from ratings.queries import mathml
from ratings.queries.matches import WINDOW_NAMES, EarlierMatch, room_in_words
from ratings.queries.mathml import constant, plain
from ratings.queries.privacy import Curtain, Shown
from ratings.queries.steps import Step
from ratings_site.common.figures import day, decimal_rating, half_points, signed

NOT_SHOWN = "not shown"
BIRTH_DATE = "because it would give away a birth date"

NO_BONUS = {
    NoBonus.MATCH: "A match earns no bonus.",
    NoBonus.TOO_FEW_GAMES: "A bonus needs at least {least} games in the section.",
    NoBonus.REPEATED_OPPONENT: "There is no bonus for meeting one opponent more than "
    "{meetings} times.",
    NoBonus.REPEATED_OPPONENT_IN_THREE_GAMES: "There is no bonus for three games if "
    "an opponent was met twice.",
}
REASONS = {
    FormulaReason.FEW_GAMES: "The rating rests on {games} games, and up to {few} the "
    "special formula applies.",
    FormulaReason.ONLY_WINS: "All rated games so far were won, so the special formula "
    "applies, and the rating before counts as {shift} points lower.",
    FormulaReason.ONLY_LOSSES: "All rated games so far were lost, so the special "
    "formula applies, and the rating before counts as {shift} points higher.",
    FormulaReason.ENOUGH_GAMES: "The rating rests on more than {few} games, with wins "
    "as well as losses or draws, so the standard formula applies.",
}
ORIGINS = {
    Origin.PRE_EVENT: "before the section",
    Origin.INITIAL: "initial rating",
    Origin.FIRST_ESTIMATE: "first estimate",
    Origin.INTERMEDIATE: "after the first pass",
}
RECORDS = {
    Record.MIXED: "wins and losses or draws",
    Record.ALL_WINS: "only wins",
    Record.ALL_LOSSES: "only losses",
    Record.NONE: "no rated game",
}
KINDS = {
    Kind.SWISS: "Swiss",
    Kind.ROUND_ROBIN: "round robin",
    Kind.DOUBLE_SWISS: "double-game Swiss",
    Kind.DOUBLE_ROUND_ROBIN: "double round robin",
    Kind.MATCH: "match",
    Kind.OTHER: "other",
}


@dataclass(frozen=True, slots=True)
class Person:
    """An opponent by name and address, which somebody who is no member has not."""

    name: str
    url: str = ""

    @property
    def link(self) -> SafeString | str:
        if not self.url:
            return self.name
        return format_html('<a href="{}">{}</a>', self.url, self.name)


def count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def points(half: int) -> str:
    return constant(half / 2)


def unlike_score(expected: float, half: int) -> str:
    """Write an expected score so that it does not look like the score itself."""
    for places in (2, 3, 4):
        text = plain(expected, places)
        if text != plain(half / 2, places):
            break
    return text


class Working:
    """Writes the steps for one player of a section.

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
        self.is_rounded = curtain.rounds or has_rounded_ratings
        self._has_said_expectancy = False

    @property
    def hides_figures(self) -> bool:
        """Tell whether the reader misses a figure on the page."""
        passes = [self.why.intermediate, self.why.final]
        return self.hides_start or any(
            self._has_gaps(working) for working in passes if working is not None
        )

    def _rating(self, rating: float) -> str:
        return str(official(rating)) if self.is_rounded else decimal_rating(rating)

    def _points(self, value: float, places: int = 2) -> str:
        """Write a bonus or a change."""
        return str(official(value)) if self.is_rounded else plain(value, places)

    # --- The sentence that comes first ---

    def sentence(self, subject: str) -> str:
        """Say what happened and why, in plain English."""
        final, why = self.why.final, self.why
        if final is None or why.post is None:
            return f"{subject} had no rated game here, so no rating changed."
        parts = [self._what_happened(subject, final)]
        if final.standard and final.standard.bonus and not self.hides_start:
            parts.append(
                f"{self._points(final.standard.bonus, 1)} points of the gain are a "
                "bonus."
            )
        if why.match_limited is not None:
            parts.append(
                "The limits on matches hold the result at "
                f"{self._rating(why.match_limited)}."
            )
        if why.floor is not None:
            parts.append(f"The floor of {constant(why.floor)} holds it there.")
        if why.ceiling is not None:
            parts.append(f"The ceiling of {constant(why.ceiling)} holds it there.")
        return " ".join(parts)

    def _what_happened(self, subject: str, final: StepWorking) -> str:
        score, games = half_points(final.score), len(final.games)
        if self.competitor.rating is None:
            return (
                f"{subject} scored {score} in {count(games, 'game')} as a newcomer "
                f"and gets a first rating of {official(self.why.post)}."
            )
        moved = self._moved(self.competitor.rating, self.why.post)
        if final.standard is not None:
            expected = plain(final.standard.expected)
            if not self.is_rounded:
                expected = unlike_score(final.standard.expected, final.score)
            return (
                f"{subject} scored {score} where {expected} was expected, so the "
                f"rating {moved}."
            )
        return (
            f"{subject} scored {score} in {count(games, 'game')}. The special formula "
            f"looks for the rating at which just that was to be expected, so the "
            f"rating {moved}."
        )

    def _moved(self, before: float, after: float) -> str:
        old, new = official(before), official(after)
        if old != new:
            return f"{'rises' if after > before else 'falls'} from {old} to {new}"
        if before == after:
            return f"stays at {new}"
        if self.is_rounded:
            return f"stays at {new}, in whole numbers"
        verb = "rises" if after > before else "falls"
        return (
            f"{verb} slightly, from {decimal_rating(before)} to {decimal_rating(after)}"
        )

    # --- The steps ---

    def steps(self) -> list[Step]:
        """Return all steps, in the order in which the office computes them."""
        steps = [self._known()]
        if self.competitor.rating is None:
            steps.append(self._initial())
        steps.append(self._games_worth())
        if self.why.final is not None:
            steps.append(self._formula())
            if self.why.first_estimate is not None:
                steps.append(self._first_estimate(self.why.first_estimate))
            steps.append(self._pass(self.why.intermediate, "First pass"))
            steps.append(self._pass(self.why.final, "Second pass"))
            if self.why.final.standard is not None and not self.hides_blend:
                steps.append(self._bonus(self.why.final.standard))
            steps.append(self._limits())
            steps.append(self._result())
        return steps

    def _known(self) -> Step:
        card, competitor = self.card, self.competitor
        is_rated = competitor.rating is not None
        before = "unrated"
        if is_rated:
            before = self._rating(competitor.rating)
        step = Step("What was known", before, source="Rating system, section 1")
        facts = [("Rating before", before)]
        if is_rated:
            facts.append(("Games it rests on (N)", str(competitor.games)))
            facts.append(("Record", RECORDS[competitor.record]))
        if competitor.floor is not None:
            facts.append(("Floor", constant(competitor.floor)))
        if competitor.ceiling is not None:
            facts.append(("Ceiling", constant(competitor.ceiling)))
        played = len(self.why.final.games) if self.why.final else 0
        facts += [
            ("Rated games here (m)", str(played)),
            ("System", card.system.label),
            ("Time control", card.time_control.text),
            ("Kind of section", KINDS[card.kind]),
            ("Played", _played_on(card)),
        ]
        step.list_facts(facts)
        return step

    def _initial(self) -> Step:
        start = self.why.start
        shown = NOT_SHOWN if self.hides_start else decimal_rating(start.rating)
        step = Step("Initial rating (R₀)", shown, source="Rating system, section 2")
        if start.basis is Basis.BLEND:
            self._blended(step)
        elif start.basis is Basis.ASSIGNED:
            step.say("The start was given by hand.")
        elif self.hides_start:
            step.say(
                "There was no rating in another system to start from, so the start is "
                f"by age: not shown, {BIRTH_DATE}."
            )
        else:
            self._by_age(step)
        return step

    def _by_age(self, step: Step) -> None:
        start, formula = self.why.start, self.rules.age_start
        if start.basis is not Basis.AGE:
            age = "26, as an adult" if start.basis is Basis.ADULT else "15"
            reason = "No usable birth date is known"
            if self.is_estimate:
                reason = "Ages take no part in estimates"
            step.say(
                f"{reason}, so the start is that of age {age}: "
                f"{decimal_rating(start.rating)}. It counts as no game at all."
            )
            return
        step.say(
            "Without a rating in another system, a newcomer starts by age on the last "
            "day of the section. The start counts as no game at all."
        )
        if formula.lowest < start.rating < formula.highest:
            years = start.rating / formula.points_per_year
            step.typeset(mathml.age_start(formula.points_per_year, years, start.rating))
        else:
            end = "lowest" if start.rating <= formula.lowest else "highest"
            step.say(f"{constant(start.rating)} is the {end} start there is.")
        step.say(f"Only the player and the office see this figure, {BIRTH_DATE}.")

    def _blended(self, step: Step) -> None:
        start = self.why.start
        step.say(
            "A newcomer with ratings in other systems starts from their average, "
            "weighed by games, freshness and strength."
        )
        if self.hides_start:
            step.tabulate(
                ("Source", "As of", "Rating"),
                [
                    (
                        _source_name(share.source.source),
                        day(share.source.day),
                        plain(share.source.rating),
                    )
                    for share in start.shares
                ],
                {2},
            )
            step.say(
                "The weights and the result are not shown: the age of the player "
                "counts in them, and would give away a birth date."
            )
            return
        step.tabulate(
            (
                "Source",
                "As of",
                "Rating",
                "X",
                "G",
                "Days",
                "P",
                "Z",
                "S",
                "W",
            ),
            [
                (
                    _source_name(share.source.source),
                    day(share.source.day),
                    plain(share.source.rating),
                    plain(share.converted),
                    str(share.game_factor),
                    str(share.staleness_days),
                    plain(share.age_rating),
                    plain(share.strength, 3),
                    plain(share.staleness_factor, 4),
                    plain(share.weight, 3),
                )
                for share in start.shares
            ],
            range(2, 10),
        )
        step.say(
            "X is the rating on the US Chess scale, G the Game Factor, P the rating by "
            "age at that time, Z the strength, S the staleness factor, and W = G × S "
            "the weight."
        )
        step.typeset(
            mathml.blend(
                [share.weight for share in start.shares],
                [share.converted for share in start.shares],
                start.blended or start.rating,
            )
        )
        step.say(
            f"Rounded, that is {constant(start.rating)}. It counts as "
            f"{count(start.games, 'game')}: the weights add up to "
            f"{plain(start.total_weight or 0.0)}, rounded up, at most "
            f"{self.rules.blend.most_games}."
        )
        if self.is_estimate:
            step.say("Ages take no part in estimates: Z is that without a birth date.")
        else:
            step.say(f"Only the player and the office see these figures, {BIRTH_DATE}.")

    def _games_worth(self) -> Step:
        why = self.why
        step = Step(
            "How many games the rating is worth (N′)",
            NOT_SHOWN if self.hides_blend else plain(why.effective_games),
            source="Rating system, section 3",
        )
        if self.hides_blend:
            step.say(f"This follows from the initial rating: not shown, {BIRTH_DATE}.")
            return step
        if why.start.games == 0:
            step.say("A start by age is worth no game: N and N′ are 0.")
            return step
        formula = self.rules.effective_games
        step.say(
            "However many games a rating rests on, old ones count for less. N* is the "
            "most it can be worth at this height, and N′ the smaller of N and N*."
        )
        if why.start.rating > formula.full_above:
            step.say(
                f"Above {constant(formula.full_above)}, N* is "
                f"{constant(formula.limit)}."
            )
        elif self.is_rounded:
            step.say(
                f"For a rating of {self._rating(why.start.rating)}, N* is "
                f"{plain(why.most_effective_games)}."
            )
        else:
            step.typeset(
                mathml.most_effective_games(
                    formula, why.start.rating, why.most_effective_games
                )
            )
        step.typeset(
            mathml.effective_games(
                why.start.games, why.most_effective_games, why.effective_games
            )
        )
        return step

    def _formula(self) -> Step:
        why = self.why
        step = Step(
            "Which formula",
            f"{why.formula.value} formula",
            source="Rating system, sections 1 and 4",
        )
        if self.competitor.rating is None and why.start.games == 0:
            step.say("A newcomer is rated by the special formula.")
        elif self.hides_blend:
            step.say(
                "The number of games that the initial rating counts as decides: up to "
                f"{self.rules.special_up_to} the special formula applies."
            )
        else:
            step.say(
                REASONS[why.reason].format(
                    games=why.start.games,
                    few=self.rules.special_up_to,
                    shift=constant(self.rules.special_shift),
                )
            )
        return step

    def _first_estimate(self, working: StepWorking) -> Step:
        shown = self._first_estimate_shown(working)
        step = Step(
            "First estimate",
            self._rating(working.result) if shown is Shown.EXACT else NOT_SHOWN,
            source="Rating system, section 1, step 3",
        )
        step.say(
            "So that the opponents are not rated against a guess by age, a newcomer is "
            "first rated once by the special formula, with the initial rating counting "
            "as one game. In the first pass it is used for the opponents."
        )
        if shown is Shown.HIDDEN:
            step.say(
                f"The estimate rests on an initial rating: not shown, {BIRTH_DATE}."
            )
            return step
        self._special(step, working, Shown.EXACT)
        return step

    def _first_estimate_shown(self, working: StepWorking) -> Shown:
        met = {self.curtain.start(line.opponent) for line in working.games}
        if self.hides_start or Shown.HIDDEN in met:
            return Shown.HIDDEN
        return Shown.EXACT

    def _pass(self, working: StepWorking, title: str) -> Step:
        is_final = working.step == 5
        shown = Shown.EXACT if is_final else self.curtain.intermediate(self.why.id)
        step = Step(
            title,
            self._rating_text(working.result, shown),
            source=f"Rating system, section 1, step {working.step}, and section "
            f"{'4.1' if working.special else '4.2'}",
        )
        if is_final:
            step.say(
                "The same formula once more, now against what the first pass made of "
                "the opponents’ ratings."
            )
        else:
            step.say("Rated against the opponents as they stood before the section.")
        if self.hides_blend:
            self._scores_only(step, working)
        elif working.special is not None:
            self._special(step, working, shown)
        elif working.standard is not None:
            self._standard(step, working, working.standard, shown)
        if working.computed != working.result and shown is Shown.EXACT:
            step.say(f"No rating is below {constant(self.why.lowest)}.")
        return step

    def _scores_only(self, step: Step, working: StepWorking) -> None:
        step.tabulate(
            ("Opponent", "Score"),
            [
                (self.people[line.opponent].link, half_points(line.score))
                for line in working.games
            ],
            {1},
            ("Together", half_points(working.score)),
        )
        step.say(
            "The initial rating takes part in every figure of this step: not shown, "
            f"{BIRTH_DATE}."
        )

    # --- The two formulas ---

    def _special(self, step: Step, working: StepWorking, shown: Shown) -> None:
        special = working.special
        coarse = self._is_coarse(working)
        shares = self._games_table(step, working, shown is Shown.EXACT, coarse)
        if shown is Shown.HIDDEN:
            step.say(
                "The result of this pass is not shown: a hidden initial rating could "
                "be computed from it."
            )
            return
        if special.prior_games > 0:
            self._prior(step, working, special)
        step.say(
            "The new rating M is the one at which the expectancies add up to the score."
        )
        if not self._has_said_expectancy:
            self._provisional_expectancy(step)
        if not coarse:
            step.typeset(
                mathml.special_objective(
                    shares,
                    special.prior_games,
                    special.prior_expectancy,
                    special.adjusted_score,
                    special.nearest,
                )
            )
            self._range(step, special)
        if special.is_capped:
            step.say(
                f"The special formula gives at most {constant(special.cap)}, so that "
                "is the result."
            )

    def _provisional_expectancy(self, step: Step) -> None:
        self._has_said_expectancy = True
        reach = self.rules.provisional_reach
        step.typeset(mathml.provisional_expectancy(reach))
        step.say(
            f"A difference of {constant(reach)} points or more counts as a sure win "
            "or loss."
        )

    def _prior(self, step: Step, working: StepWorking, special: SpecialWorking) -> None:
        worth = plain(special.prior_games)
        step.list_facts(
            [
                ("Counts beside the games as R′₀", self._rating(special.prior)),
                ("Worth N′", worth),
                ("Score S", points(working.score)),
                ("With the games of N′, S′", plain(special.adjusted_score)),
            ]
        )

    def _range(self, step: Step, special: SpecialWorking) -> None:
        """Say where many ratings balance the score; R₀ must not be hidden."""
        if special.low == special.high or self.hides_start:
            return
        low = "any" if special.low is None else plain(special.low)
        high = "any higher rating" if special.high is None else plain(special.high)
        step.say(
            f"Every rating from {low} to {high} does; the one nearest "
            f"{decimal_rating(special.prior)} is taken."
        )

    def _standard(
        self,
        step: Step,
        working: StepWorking,
        standard: StandardWorking,
        shown: Shown,
    ) -> None:
        coarse = self._is_coarse(working)
        exact = shown is Shown.EXACT
        expected = plain(standard.expected, 2 if self.is_rounded else 3)
        shares = self._games_table(
            step, working, True, coarse, expected if exact else NOT_SHOWN
        )
        if working.step == 4:
            step.typeset(mathml.winning_expectancy(self.rules.expectancy_scale))
            self._k(step, working, standard)
        if not exact:
            step.say(
                "The sum and the exact result of this pass are not shown: a hidden "
                "initial rating could be computed from them. Rounded, the result is "
                f"{official(working.result)}."
            )
            return
        if self.is_rounded:
            self._standard_rounded(step, working, standard, expected)
            return
        if NOT_SHOWN not in shares:
            step.typeset(mathml.expected_score(shares, expected))
        step.typeset(
            mathml.standard_rating(
                self.why.start.rating,
                standard.k,
                points(working.score),
                expected,
                standard.bonus,
                decimal_rating(working.computed),
            )
        )

    def _standard_rounded(
        self,
        step: Step,
        working: StepWorking,
        standard: StandardWorking,
        expected: str,
    ) -> None:
        """List what a formula with decimals would give: rounded it does not add up."""
        step.typeset(_standard_rating_in_letters(with_bonus=bool(standard.bonus)))
        facts = [
            ("R", self._rating(self.why.start.rating)),
            ("K", plain(standard.k)),
            ("Score S", points(working.score)),
            ("Expected score E", expected),
        ]
        if standard.bonus:
            facts.append(("Bonus", self._points(standard.bonus)))
        facts.append(("Rₛ", self._rating(working.computed)))
        step.list_facts(facts)

    def _k(self, step: Step, working: StepWorking, standard: StandardWorking) -> None:
        rules, rating = self.rules, self.why.start.rating
        full, shown = letter_and_number(constant(rules.k_numerator))
        if standard.is_lower_k:
            step.say(
                "K says how far one point moves the rating. In a section that is "
                "rated in two systems it is lower for a Regular rating above "
                f"{constant(rules.lower_k.above)}."
            )
            if rating >= rules.lower_k.flat_from:
                full, shown = letter_and_number(constant(rules.lower_k.flat))
            else:
                full = mathml.lower_numerator(
                    rules.k_numerator, rules.lower_k, mathml.R
                )
                shown = mathml.lower_numerator(
                    rules.k_numerator,
                    rules.lower_k,
                    mathml.row(mathml.TIMES, mathml.number(plain(rating))),
                )
        else:
            step.say("K says how far one point moves the rating.")
        if self.is_rounded:
            below = mathml.row(mathml.N_PRIME, mathml.PLUS, mathml.GAMES)
            step.typeset(
                mathml.display(mathml.K, mathml.EQUALS, mathml.fraction(full, below))
            )
            step.say(f"Here K is {plain(standard.k)}.")
            return
        step.typeset(
            mathml.k_factor(
                full, shown, self.why.effective_games, len(working.games), standard.k
            )
        )

    def _games_table(
        self,
        step: Step,
        working: StepWorking,
        with_expectancies: bool,
        coarse: bool,
        total: str = "",
    ) -> list[str]:
        """Add the table of opponents; return the expectancies as they are shown."""
        rows: list[tuple[object, ...]] = []
        shares = []
        for line in working.games:
            shown = self._line_shown(working, line)
            share = NOT_SHOWN
            if with_expectancies and shown is not Shown.HIDDEN:
                share = plain(line.expectancy, 2 if coarse else 3)
            shares.append(share)
            rows.append(
                (
                    self.people[line.opponent].link,
                    half_points(line.score),
                    self._rating_text(line.rating, shown),
                    ORIGINS[line.origin],
                    share,
                )
            )
        step.tabulate(
            ("Opponent", "Score", "Rating", "Which is", "Expected"),
            rows,
            {1, 2, 4},
            ("Together", half_points(working.score), "", "", total),
            wide_only={3},
        )
        self._explain_gaps(step, working)
        return shares

    def _explain_gaps(self, step: Step, working: StepWorking) -> None:
        shown = {self._line_shown(working, line) for line in working.games}
        if Shown.HIDDEN in shown:
            step.say(
                "“Not shown” are ratings that rest on the initial rating of a "
                "newcomer, which would give away a birth date."
            )
        if Shown.WHOLE in shown:
            step.say(
                "Ratings with ≈ are rounded here, because a newcomer’s initial rating "
                "went into them; the office computes with all decimals."
            )

    def _line_shown(self, working: StepWorking, line: GameLine) -> Shown:
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

    def _rating_text(self, rating: float, shown: Shown) -> str:
        if shown is Shown.EXACT:
            return self._rating(rating)
        return NOT_SHOWN if shown is Shown.HIDDEN else f"≈ {official(rating)}"

    # --- After the formulas ---

    def _bonus(self, standard: StandardWorking) -> Step:
        step = Step(
            "Bonus",
            self._points(standard.bonus) if standard.bonus else "none",
            source="Rating system, section 4.2",
        )
        if standard.no_bonus is not None:
            step.say(
                NO_BONUS[standard.no_bonus].format(
                    least=self.rules.bonus_from_games,
                    meetings=self.rules.bonus_meetings,
                )
            )
            return step
        step.say(
            "Points gained beyond a threshold are doubled. m′ is the number of games, "
            f"at least {self.rules.bonus_counts_at_least}."
        )
        if self.is_rounded:
            step.list_facts(
                [
                    ("K(S − E)", self._points(standard.change)),
                    ("Threshold", plain(standard.threshold or 0.0)),
                    ("Bonus", self._points(standard.bonus)),
                ]
            )
        else:
            self._bonus_formula(step, standard)
        if not standard.bonus:
            step.say("The result stays below the threshold, so there is no bonus.")
        return step

    @staticmethod
    def _bonus_formula(step: Step, standard: StandardWorking) -> None:
        step.typeset(
            mathml.bonus(
                standard.change,
                standard.multiplier or 0.0,
                standard.counted_games or 0,
                standard.threshold or 0.0,
                standard.bonus,
            )
        )

    def _limits(self) -> Step:
        why = self.why
        acted = [
            word
            for word, value in (
                ("match limit", why.match_limited),
                ("floor", why.floor),
                ("ceiling", why.ceiling),
            )
            if value is not None
        ]
        step = Step(
            "Limits, floor and ceiling",
            " and ".join(acted) if acted else "none acted",
            source="Rating system, sections 5 and 7",
        )
        self._match_limits(step)
        floor = self.competitor.floor
        level = why.lowest if floor is None else max(why.lowest, floor)
        if why.floor is not None:
            step.say(
                f"The formula gives {self._rating(why.final.computed)}, which is "
                f"under the floor of {constant(level)}; the floor holds."
            )
        else:
            step.say(f"The floor of {constant(level)} did not come into play.")
        if why.floor_request:
            step.say(
                "In a match this is a request to lower the floor. Until the office "
                "grants it, the floor holds."
            )
        if why.ceiling is not None:
            step.say(f"The ceiling of {constant(why.ceiling)} holds the rating.")
        elif self.competitor.ceiling is not None:
            step.say(
                f"The ceiling of {constant(self.competitor.ceiling)} did not come "
                "into play."
            )
        return step

    def _match_limits(self, step: Step) -> None:
        if self.why.match_limit is None or self.competitor.rating is None:
            return
        rules = self.rules
        step.say(
            f"A match moves a rating by at most {constant(rules.match_limit)} points, "
            f"all matches together by {constant(rules.match_limit_180_days)} in 180 "
            f"days and {constant(rules.match_limit_3_years)} in three years."
        )
        earlier = self.competitor.match_changes
        if earlier:
            step.tabulate(
                ("Earlier match", "Ended", "Change"),
                [
                    (self._match_link(one), day(one.day), self._points(one.change))
                    for one in earlier
                ],
                {2},
            )
        step.list_facts(self._room())
        if self.why.match_limited is None:
            step.say("The change stays within them.")
        else:
            step.say(
                f"The formula gives {self._rating(self.why.final.computed)}; the "
                f"limits hold it at {self._rating(self.why.match_limited)}."
            )

    def _match_link(self, change: MatchChange) -> object:
        match = self.matches.get((change.day, change.change))
        return match.link if match else "Match"

    def _room(self) -> list[tuple[str, str]]:
        """Return what each limit leaves, in the direction in which the rating goes."""
        day_ended = self.card.end_date
        nets = match_nets(day_ended, self.competitor.match_changes)
        wins = self.why.final.computed > self.competitor.rating
        places = 0 if self.is_rounded else 2
        rooms = [
            room_in_words(limit, self._shown_net(-net if wins else net), places)
            for net, limit in (
                (nets.in_180_days, self.rules.match_limit_180_days),
                (nets.in_3_years, self.rules.match_limit_3_years),
            )
        ]
        opened = windows_open(day_ended)
        may = "win" if wins else "lose"
        return [
            (f"May {may} in one match", constant(self.rules.match_limit)),
            *(
                (f"In {name} (matches after {day(opens)})", room)
                for name, opens, room in zip(WINDOW_NAMES, opened, rooms, strict=True)
            ),
        ]

    def _shown_net(self, net: float) -> float:
        return float(official(net)) if self.is_rounded else net

    def _result(self) -> Step:
        why = self.why
        new = official(why.post)
        step = Step("Result", str(new), source="Rating system, section 1, step 5")
        change = ""
        if self.competitor.rating is not None:
            moved = new - official(self.competitor.rating)
            change = f", a change of {signed(moved)} in whole numbers"
        shown = f"The new rating is {new}{change}."
        if not self.is_rounded:
            shown = (
                f"The new rating is {decimal_rating(why.post)}. People see it "
                f"rounded, halves up: {new}{change}."
            )
        step.say(f"{shown} The next section starts from all its decimals.")
        step.say(self._games_after())
        return step

    def _games_after(self) -> str:
        why, played = self.why, len(self.why.final.games)
        after = why.post_games
        kind = "established" if after > self.rules.established_after else "provisional"
        if self.hides_start:
            return f"It now rests on {count(after, 'game')} and is {kind}."
        return (
            f"It now rests on {why.start.games} + {played} = {count(after, 'game')} "
            f"and is {kind}."
        )


def letter_and_number(text: str) -> tuple[SafeString, SafeString]:
    """A constant is the same in the line of letters and in that of numbers."""
    return mathml.number(text), mathml.number(text)


def _standard_rating_in_letters(*, with_bonus: bool) -> SafeString:
    letters = [
        mathml.R,
        mathml.PLUS,
        mathml.K,
        mathml.bracketed(mathml.S, mathml.MINUS_SIGN, mathml.E),
    ]
    if with_bonus:
        letters += [mathml.PLUS, mathml.letter("bonus")]
    left = mathml.index(mathml.R, mathml.letter("s"))
    return mathml.display(left, mathml.EQUALS, *letters)


def _source_name(source: System | Body) -> str:
    return source.label if isinstance(source, System) else source.value


def _played_on(card: SectionCard) -> str:
    if card.start_date == card.end_date:
        return day(card.end_date)
    return f"{day(card.start_date)} to {day(card.end_date)}"
