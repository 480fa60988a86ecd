"""A rating derived step by step, in words, formulas and tables ready to show.

The numbers come from `ratings.engine.explanation`; what may be shown of them is
decided by `ratings.queries.privacy`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext, gettext_lazy
from django.utils.translation import gettext as _

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

NOT_SHOWN = gettext_lazy("not shown")
BIRTH_DATE = gettext_lazy("because it would give away a birth date")

NO_BONUS = {
    NoBonus.MATCH: gettext_lazy("A match earns no bonus."),
    NoBonus.TOO_FEW_GAMES: gettext_lazy(
        "A bonus needs at least {least} games in the section."
    ),
    NoBonus.REPEATED_OPPONENT: gettext_lazy(
        "There is no bonus for meeting one opponent more than {meetings} times."
    ),
    NoBonus.REPEATED_OPPONENT_IN_THREE_GAMES: gettext_lazy(
        "There is no bonus for three games if an opponent was met twice."
    ),
}
REASONS = {
    FormulaReason.FEW_GAMES: gettext_lazy(
        "The rating rests on {games} games, and up to {few} the "
        "special formula applies."
    ),
    FormulaReason.ONLY_WINS: gettext_lazy(
        "All rated games so far were won, so the special formula "
        "applies, and the rating before counts as {shift} points lower."
    ),
    FormulaReason.ONLY_LOSSES: gettext_lazy(
        "All rated games so far were lost, so the special "
        "formula applies, and the rating before counts as {shift} points higher."
    ),
    FormulaReason.ENOUGH_GAMES: gettext_lazy(
        "The rating rests on more than {few} games, with wins "
        "as well as losses or draws, so the standard formula applies."
    ),
}
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
    Kind.SWISS: "Swiss",
    Kind.ROUND_ROBIN: gettext_lazy("round robin"),
    Kind.DOUBLE_SWISS: gettext_lazy("double-game Swiss"),
    Kind.DOUBLE_ROUND_ROBIN: gettext_lazy("double round robin"),
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
            return _("{subject} had no rated game here, so no rating changed.").format(
                subject=subject
            )
        parts = [self._what_happened(subject, final)]
        if final.standard and final.standard.bonus and not self.hides_start:
            parts.append(
                _("{points} points of the gain are a bonus.").format(
                    points=self._points(final.standard.bonus, 1)
                )
            )
        if why.match_limited is not None:
            parts.append(
                _("The limits on matches hold the result at {rating}.").format(
                    rating=self._rating(why.match_limited)
                )
            )
        if why.floor is not None:
            parts.append(
                _("The floor of {constant} holds it there.").format(
                    constant=constant(why.floor)
                )
            )
        if why.ceiling is not None:
            parts.append(
                _("The ceiling of {constant} holds it there.").format(
                    constant=constant(why.ceiling)
                )
            )
        return " ".join(parts)

    def _what_happened(self, subject: str, final: StepWorking) -> str:
        score, games = half_points(final.score), len(final.games)
        if self.competitor.rating is None:
            return _(
                "{subject} scored {score} in {count} as a newcomer "
                "and gets a first rating of {post}."
            ).format(
                subject=subject,
                score=score,
                count=count(games, "game"),
                post=official(self.why.post),
            )
        moved = self._moved(self.competitor.rating, self.why.post)
        if final.standard is not None:
            expected = plain(final.standard.expected)
            if not self.is_rounded:
                expected = unlike_score(final.standard.expected, final.score)
            return _(
                "{subject} scored {score} where {expected} was expected, so the "
                "rating {moved}."
            ).format(subject=subject, score=score, expected=expected, moved=moved)
        return _(
            "{subject} scored {score} in {count}. The special formula "
            "looks for the rating at which just that was to be expected, so the "
            "rating {moved}."
        ).format(subject=subject, score=score, count=count(games, "game"), moved=moved)

    def _moved(self, before: float, after: float) -> str:
        old, new = official(before), official(after)
        if old != new:
            return _("{word} from {old} to {new}").format(
                word="rises" if after > before else "falls", old=old, new=new
            )
        if before == after:
            return _("stays at {new}").format(new=new)
        if self.is_rounded:
            return _("stays at {new}, in whole numbers").format(new=new)
        verb = "rises" if after > before else "falls"
        return _("{verb} slightly, from {before} to {after}").format(
            verb=verb, before=decimal_rating(before), after=decimal_rating(after)
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
            steps.append(self._pass(self.why.intermediate, _("First pass")))
            steps.append(self._pass(self.why.final, _("Second pass")))
            if self.why.final.standard is not None and not self.hides_blend:
                steps.append(self._bonus(self.why.final.standard))
            steps.append(self._limits())
            steps.append(self._result())
        return steps

    def _known(self) -> Step:
        card, competitor = self.card, self.competitor
        is_rated = competitor.rating is not None
        before = gettext("unrated")
        if is_rated:
            before = self._rating(competitor.rating)
        step = Step(_("What was known"), before, source=_("Rating system, section 1"))
        facts = [(_("Rating before"), before)]
        if is_rated:
            facts.append((_("Games it rests on (N)"), str(competitor.games)))
            facts.append((_("Record"), RECORDS[competitor.record]))
        if competitor.floor is not None:
            facts.append((_("Floor"), constant(competitor.floor)))
        if competitor.ceiling is not None:
            facts.append((_("Ceiling"), constant(competitor.ceiling)))
        played = len(self.why.final.games) if self.why.final else 0
        facts += [
            (_("Rated games here (m)"), str(played)),
            (_("System"), gettext(card.system.label)),
            (_("Time control"), card.time_control.text),
            (_("Kind of section"), gettext(KINDS[card.kind])),
            (_("Played"), _played_on(card)),
        ]
        step.list_facts(facts)
        return step

    def _initial(self) -> Step:
        start = self.why.start
        shown = NOT_SHOWN if self.hides_start else decimal_rating(start.rating)
        step = Step(
            _("Initial rating (R₀)"), shown, source=_("Rating system, section 2")
        )
        if start.basis is Basis.BLEND:
            self._blended(step)
        elif start.basis is Basis.ASSIGNED:
            step.say(_("The start was given by hand."))
        elif self.hides_start:
            step.say(
                _(
                    "There was no rating in another system to start from, so the "
                    "start is "
                    "by age: not shown, {birth_date}."
                ).format(birth_date=BIRTH_DATE)
            )
        else:
            self._by_age(step)
        return step

    def _by_age(self, step: Step) -> None:
        start, formula = self.why.start, self.rules.age_start
        if start.basis is not Basis.AGE:
            age = _("26, as an adult") if start.basis is Basis.ADULT else "15"
            reason = _("No usable birth date is known")
            if self.is_estimate:
                reason = _("Ages take no part in estimates")
            step.say(
                _(
                    "{reason}, so the start is that of age {age}: "
                    "{rating}. It counts as no game at all."
                ).format(reason=reason, age=age, rating=decimal_rating(start.rating))
            )
            return
        step.say(
            _(
                "Without a rating in another system, a newcomer starts by age on the "
                "last "
                "day of the section. The start counts as no game at all."
            )
        )
        if formula.lowest < start.rating < formula.highest:
            years = start.rating / formula.points_per_year
            step.typeset(mathml.age_start(formula.points_per_year, years, start.rating))
        else:
            end = _("lowest") if start.rating <= formula.lowest else _("highest")
            step.say(
                _("{constant} is the {end} start there is.").format(
                    constant=constant(start.rating), end=end
                )
            )
        step.say(
            _("Only the player and the office see this figure, {birth_date}.").format(
                birth_date=BIRTH_DATE
            )
        )

    def _blended(self, step: Step) -> None:
        start = self.why.start
        step.say(
            _(
                "A newcomer with ratings in other systems starts from their average, "
                "weighed by games, freshness and strength."
            )
        )
        if self.hides_start:
            step.tabulate(
                (_("Source"), _("As of"), _("Rating")),
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
                _(
                    "The weights and the result are not shown: the age of the player "
                    "counts in them, and would give away a birth date."
                )
            )
            return
        step.tabulate(
            (
                _("Source"),
                _("As of"),
                _("Rating"),
                "X",
                "G",
                _("Days"),
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
            _(
                "X is the rating on the US Chess scale, G the Game Factor, P the "
                "rating by "
                "age at that time, Z the strength, S the staleness factor, and W = G "
                "× S "
                "the weight."
            )
        )
        step.typeset(
            mathml.blend(
                [share.weight for share in start.shares],
                [share.converted for share in start.shares],
                start.blended or start.rating,
            )
        )
        step.say(
            _(
                "Rounded, that is {constant}. It counts as "
                "{count}: the weights add up to "
                "{plain}, rounded up, at most "
                "{most_games}."
            ).format(
                constant=constant(start.rating),
                count=count(start.games, "game"),
                plain=plain(start.total_weight or 0.0),
                most_games=self.rules.blend.most_games,
            )
        )
        if self.is_estimate:
            step.say(
                _("Ages take no part in estimates: Z is that without a birth date.")
            )
        else:
            step.say(
                _(
                    "Only the player and the office see these figures, {birth_date}."
                ).format(birth_date=BIRTH_DATE)
            )

    def _games_worth(self) -> Step:
        why = self.why
        step = Step(
            _("How many games the rating is worth (N′)"),
            NOT_SHOWN if self.hides_blend else plain(why.effective_games),
            source=_("Rating system, section 3"),
        )
        if self.hides_blend:
            step.say(
                _(
                    "This follows from the initial rating: not shown, {birth_date}."
                ).format(birth_date=BIRTH_DATE)
            )
            return step
        if why.start.games == 0:
            step.say(_("A start by age is worth no game: N and N′ are 0."))
            return step
        formula = self.rules.effective_games
        step.say(
            _(
                "However many games a rating rests on, old ones count for less. N* "
                "is the "
                "most it can be worth at this height, and N′ the smaller of N and N*."
            )
        )
        if why.start.rating > formula.full_above:
            step.say(
                _("Above {constant}, N* is {constant2}.").format(
                    constant=constant(formula.full_above),
                    constant2=constant(formula.limit),
                )
            )
        elif self.is_rounded:
            step.say(
                _("For a rating of {rating}, N* is {plain}.").format(
                    rating=self._rating(why.start.rating),
                    plain=plain(why.most_effective_games),
                )
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
            _("Which formula"),
            f"{why.formula.value} formula",
            source=_("Rating system, sections 1 and 4"),
        )
        if self.competitor.rating is None and why.start.games == 0:
            step.say(_("A newcomer is rated by the special formula."))
        elif self.hides_blend:
            step.say(
                _(
                    "The number of games that the initial rating counts as decides: "
                    "up to "
                    "{special_up_to} the special formula applies."
                ).format(special_up_to=self.rules.special_up_to)
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
            _("First estimate"),
            self._rating(working.result) if shown is Shown.EXACT else NOT_SHOWN,
            source=_("Rating system, section 1, step 3"),
        )
        step.say(
            _(
                "So that the opponents are not rated against a guess by age, a "
                "newcomer is "
                "first rated once by the special formula, with the initial rating "
                "counting "
                "as one game. In the first pass it is used for the opponents."
            )
        )
        if shown is Shown.HIDDEN:
            step.say(
                _(
                    "The estimate rests on an initial rating: not shown, {birth_date}."
                ).format(birth_date=BIRTH_DATE)
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
            source=_(
                "Rating system, section 1, step {step}, and section {word}"
            ).format(step=working.step, word="4.1" if working.special else "4.2"),
        )
        if is_final:
            step.say(
                _(
                    "The same formula once more, now against what the first pass "
                    "made of "
                    "the opponents’ ratings."
                )
            )
        else:
            step.say(_("Rated against the opponents as they stood before the section."))
        if self.hides_blend:
            self._scores_only(step, working)
        elif working.special is not None:
            self._special(step, working, shown)
        elif working.standard is not None:
            self._standard(step, working, working.standard, shown)
        if working.computed != working.result and shown is Shown.EXACT:
            step.say(
                _("No rating is below {constant}.").format(
                    constant=constant(self.why.lowest)
                )
            )
        return step

    def _scores_only(self, step: Step, working: StepWorking) -> None:
        step.tabulate(
            (_("Opponent"), _("Score")),
            [
                (self.people[line.opponent].link, half_points(line.score))
                for line in working.games
            ],
            {1},
            (_("Together"), half_points(working.score)),
        )
        step.say(
            _(
                "The initial rating takes part in every figure of this step: not "
                "shown, "
                "{birth_date}."
            ).format(birth_date=BIRTH_DATE)
        )

    # --- The two formulas ---

    def _special(self, step: Step, working: StepWorking, shown: Shown) -> None:
        special = working.special
        coarse = self._is_coarse(working)
        shares = self._games_table(step, working, shown is Shown.EXACT, coarse)
        if shown is Shown.HIDDEN:
            step.say(
                _(
                    "The result of this pass is not shown: a hidden initial rating "
                    "could "
                    "be computed from it."
                )
            )
            return
        if special.prior_games > 0:
            self._prior(step, working, special)
        step.say(
            _(
                "The new rating M is the one at which the expectancies add up to the "
                "score."
            )
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
                _(
                    "The special formula gives at most {constant}, so that "
                    "is the result."
                ).format(constant=constant(special.cap))
            )

    def _provisional_expectancy(self, step: Step) -> None:
        self._has_said_expectancy = True
        reach = self.rules.provisional_reach
        step.typeset(mathml.provisional_expectancy(reach))
        step.say(
            _(
                "A difference of {constant} points or more counts as a sure win "
                "or loss."
            ).format(constant=constant(reach))
        )

    def _prior(self, step: Step, working: StepWorking, special: SpecialWorking) -> None:
        worth = plain(special.prior_games)
        step.list_facts(
            [
                (_("Counts beside the games as R′₀"), self._rating(special.prior)),
                (_("Worth N′"), worth),
                (_("Score S"), points(working.score)),
                (_("With the games of N′, S′"), plain(special.adjusted_score)),
            ]
        )

    def _range(self, step: Step, special: SpecialWorking) -> None:
        """Say where many ratings balance the score; R₀ must not be hidden."""
        if special.low == special.high or self.hides_start:
            return
        low = "any" if special.low is None else plain(special.low)
        high = _("any higher rating") if special.high is None else plain(special.high)
        step.say(
            _(
                "Every rating from {low} to {high} does; the one nearest "
                "{prior} is taken."
            ).format(low=low, high=high, prior=decimal_rating(special.prior))
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
                _(
                    "The sum and the exact result of this pass are not shown: a hidden "
                    "initial rating could be computed from them. Rounded, the result "
                    "is "
                    "{result}."
                ).format(result=official(working.result))
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
            (_("Score S"), points(working.score)),
            (_("Expected score E"), expected),
        ]
        if standard.bonus:
            facts.append((_("Bonus"), self._points(standard.bonus)))
        facts.append(("Rₛ", self._rating(working.computed)))
        step.list_facts(facts)

    def _k(self, step: Step, working: StepWorking, standard: StandardWorking) -> None:
        rules, rating = self.rules, self.why.start.rating
        full, shown = letter_and_number(constant(rules.k_numerator))
        if standard.is_lower_k:
            step.say(
                _(
                    "K says how far one point moves the rating. In a section that is "
                    "rated in two systems it is lower for a Regular rating above "
                    "{constant}."
                ).format(constant=constant(rules.lower_k.above))
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
            step.say(_("K says how far one point moves the rating."))
        if self.is_rounded:
            below = mathml.row(mathml.N_PRIME, mathml.PLUS, mathml.GAMES)
            step.typeset(
                mathml.display(mathml.K, mathml.EQUALS, mathml.fraction(full, below))
            )
            step.say(_("Here K is {plain}.").format(plain=plain(standard.k)))
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
            (_("Opponent"), _("Score"), _("Rating"), _("Which is"), _("Expected")),
            rows,
            {1, 2, 4},
            (_("Together"), half_points(working.score), "", "", total),
            wide_only={3},
        )
        self._explain_gaps(step, working)
        return shares

    def _explain_gaps(self, step: Step, working: StepWorking) -> None:
        shown = {self._line_shown(working, line) for line in working.games}
        if Shown.HIDDEN in shown:
            step.say(
                _(
                    "“Not shown” are ratings that rest on the initial rating of a "
                    "newcomer, which would give away a birth date."
                )
            )
        if Shown.WHOLE in shown:
            step.say(
                _(
                    "Ratings with ≈ are rounded here, because a newcomer’s initial "
                    "rating "
                    "went into them; the office computes with all decimals."
                )
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
            _("Bonus"),
            self._points(standard.bonus) if standard.bonus else _("none"),
            source=_("Rating system, section 4.2"),
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
            _(
                "Points gained beyond a threshold are doubled. m′ is the number of "
                "games, "
                "at least {bonus_counts_at_least}."
            ).format(bonus_counts_at_least=self.rules.bonus_counts_at_least)
        )
        if self.is_rounded:
            step.list_facts(
                [
                    ("K(S − E)", self._points(standard.change)),
                    (_("Threshold"), plain(standard.threshold or 0.0)),
                    (_("Bonus"), self._points(standard.bonus)),
                ]
            )
        else:
            self._bonus_formula(step, standard)
        if not standard.bonus:
            step.say(_("The result stays below the threshold, so there is no bonus."))
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
                (_("match limit"), why.match_limited),
                ("floor", why.floor),
                ("ceiling", why.ceiling),
            )
            if value is not None
        ]
        step = Step(
            _("Limits, floor and ceiling"),
            " and ".join(acted) if acted else _("none acted"),
            source=_("Rating system, sections 5 and 7"),
        )
        self._match_limits(step)
        floor = self.competitor.floor
        level = why.lowest if floor is None else max(why.lowest, floor)
        if why.floor is not None:
            step.say(
                _(
                    "The formula gives {rating}, which is "
                    "under the floor of {constant}; the floor holds."
                ).format(
                    rating=self._rating(why.final.computed), constant=constant(level)
                )
            )
        else:
            step.say(
                _("The floor of {constant} did not come into play.").format(
                    constant=constant(level)
                )
            )
        if why.floor_request:
            step.say(
                _(
                    "In a match this is a request to lower the floor. Until the office "
                    "grants it, the floor holds."
                )
            )
        if why.ceiling is not None:
            step.say(
                _("The ceiling of {constant} holds the rating.").format(
                    constant=constant(why.ceiling)
                )
            )
        elif self.competitor.ceiling is not None:
            step.say(
                _("The ceiling of {constant} did not come into play.").format(
                    constant=constant(self.competitor.ceiling)
                )
            )
        return step

    def _match_limits(self, step: Step) -> None:
        if self.why.match_limit is None or self.competitor.rating is None:
            return
        rules = self.rules
        step.say(
            _(
                "A match moves a rating by at most {constant} points, "
                "all matches together by {constant2} in 180 "
                "days and {constant3} in three years."
            ).format(
                constant=constant(rules.match_limit),
                constant2=constant(rules.match_limit_180_days),
                constant3=constant(rules.match_limit_3_years),
            )
        )
        earlier = self.competitor.match_changes
        if earlier:
            step.tabulate(
                (_("Earlier match"), _("Ended"), _("Change")),
                [
                    (self._match_link(one), day(one.day), self._points(one.change))
                    for one in earlier
                ],
                {2},
            )
        step.list_facts(self._room())
        if self.why.match_limited is None:
            step.say(_("The change stays within them."))
        else:
            step.say(
                _(
                    "The formula gives {rating}; the limits hold it at {rating2}."
                ).format(
                    rating=self._rating(self.why.final.computed),
                    rating2=self._rating(self.why.match_limited),
                )
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
            (
                _("May {may} in one match").format(may=may),
                constant(self.rules.match_limit),
            ),
            *(
                (
                    _("In {name} (matches after {opens})").format(
                        name=name, opens=day(opens)
                    ),
                    room,
                )
                for name, opens, room in zip(WINDOW_NAMES, opened, rooms, strict=True)
            ),
        ]

    def _shown_net(self, net: float) -> float:
        return float(official(net)) if self.is_rounded else net

    def _result(self) -> Step:
        why = self.why
        new = official(why.post)
        step = Step(_("Result"), str(new), source=_("Rating system, section 1, step 5"))
        change = ""
        if self.competitor.rating is not None:
            moved = new - official(self.competitor.rating)
            change = _(", a change of {moved} in whole numbers").format(
                moved=signed(moved)
            )
        shown = _("The new rating is {new}{change}.").format(new=new, change=change)
        if not self.is_rounded:
            shown = _(
                "The new rating is {post}. People see it "
                "rounded, halves up: {new}{change}."
            ).format(post=decimal_rating(why.post), new=new, change=change)
        step.say(
            _("{shown} The next section starts from all its decimals.").format(
                shown=shown
            )
        )
        step.say(self._games_after())
        return step

    def _games_after(self) -> str:
        why, played = self.why, len(self.why.final.games)
        after = why.post_games
        is_established = after > self.rules.established_after
        kind = _("established") if is_established else _("provisional")
        if self.hides_start:
            return _("It now rests on {count} and is {kind}.").format(
                count=count(after, "game"), kind=kind
            )
        return _("It now rests on {games} + {played} = {count} and is {kind}.").format(
            games=why.start.games, played=played, count=count(after, "game"), kind=kind
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
    return gettext(source.label) if isinstance(source, System) else source.value


def _played_on(card: SectionCard) -> str:
    if card.start_date == card.end_date:
        return day(card.end_date)
    return f"{day(card.start_date)} to {day(card.end_date)}"
