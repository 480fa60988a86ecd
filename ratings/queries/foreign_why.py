"""Why a rating is what it is after an event abroad: computed again, step by step."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import OuterRef, Subquery
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from ratings.access import StartReader
from ratings.engine import ENGINE_VERSION
from ratings.engine.cards import Competitor, Record
from ratings.engine.conversions import Conversion
from ratings.engine.effective_games import most_effective_games
from ratings.engine.foreign import opponents_conversion, rate_foreign_event
from ratings.engine.numbers import official
from ratings.engine.outcomes import Rated
from ratings.engine.rules import Rules, rules_in_force
from ratings.engine.standard import (
    NoBonus,
    bonus_threshold,
    why_no_bonus,
    winning_expectancy,
)
from ratings.models import Calculation, RatingChange
from ratings.queries import mathml
from ratings.queries.foreign import GameShown, Played, converted_games
from ratings.queries.mathml import constant, plain
from ratings.queries.privacy import newcomers_before
from ratings.queries.rules_used import STANDARD, rows_of
from ratings.queries.steps import Step
from ratings.queries.why import Difference, Receipt
from ratings.queries.working import count, letter_and_number, points, unlike_score
from ratings_site.common.figures import day, decimal_rating, half_points, signed

SOURCE = gettext_lazy("Rating system, section 6")
NO_BONUS = {
    NoBonus.TOO_FEW_GAMES: gettext_lazy(
        "A bonus needs at least {least} games in the event."
    ),
    NoBonus.REPEATED_OPPONENT: gettext_lazy(
        "There is no bonus for meeting one opponent more than {meetings} times."
    ),
    NoBonus.REPEATED_OPPONENT_IN_THREE_GAMES: gettext_lazy(
        "There is no bonus for three games if an opponent was met twice."
    ),
}


@dataclass(frozen=True, slots=True)
class ForeignWhy:
    sentence: str
    steps: list[Step]
    differences: list[Difference]
    is_rounded: bool
    receipt: Receipt


def foreign_why(
    calculation: Calculation,
    line: RatingChange,
    played: Played,
    meetings: int,
    reader: StartReader,
    subject: str,
) -> ForeignWhy:
    """Compute a member's result again from what it rested on, and compare.

    *meetings* is the most games against one person.
    """
    rules = rules_in_force(played.starts, calculation.edition)
    working = _Working(line, played, meetings, rules, _is_rounded(line, reader))
    return ForeignWhy(
        sentence=working.sentence(subject),
        steps=working.steps(),
        differences=_differences(line, working.rated, reader.is_office),
        is_rounded=working.is_rounded,
        receipt=_receipt(calculation, played, rules),
    )


def _is_rounded(line: RatingChange, reader: StartReader) -> bool:
    """Tell whether the rating before came out of a section with somebody unrated."""
    if reader.is_office:
        return False
    before = newcomers_before(OuterRef("previous_id"), reader.own_pk)
    lines = RatingChange.objects.filter(pk=line.pk)
    return bool(lines.annotate(rounds=Subquery(before)).get().rounds)


def _differences(
    line: RatingChange, rated: Rated, with_numbers: bool
) -> list[Difference]:
    """Compare the ledger with the engine, to the last bit."""
    pairs = {
        "the new rating": (line.post_rating, rated.post),
        "the games after": (line.post_games, rated.post_games),
        "the effective games": (line.effective_games, rated.effective_games),
        "the score": (line.half_points, rated.score),
        "the games": (line.games, rated.games),
        "the expected score": (line.expected, rated.expected),
        "K": (line.k, rated.k),
        "the bonus": (line.bonus, rated.bonus),
        "the floor": (line.floor_used, rated.floor),
        "the ceiling": (line.ceiling_used, rated.ceiling),
    }
    return [
        Difference(name, *pair) if with_numbers else Difference(name)
        for name, pair in pairs.items()
        if pair[0] != pair[1]
    ]


def _receipt(calculation: Calculation, played: Played, rules: Rules) -> Receipt:
    conversion = "youth_conversion" if played.is_youth else "fide_conversion"
    names = (
        "established_after",
        "foreign_automatic_from",
        conversion,
        "effective_games",
        *STANDARD,
        "lowest_rating",
    )
    return Receipt(
        edition=rules.edition,
        rules_day=calculation.rules_day,
        age_day=calculation.age_day,
        engine_version=calculation.engine_version,
        engine_now=ENGINE_VERSION,
        digest=calculation.inputs_digest,
        rules=rows_of(names, rules),
    )


class _Working:
    """Writes the steps. Rounded, ratings are whole and all else has two decimals."""

    def __init__(
        self,
        line: RatingChange,
        played: Played,
        meetings: int,
        rules: Rules,
        is_rounded: bool,
    ) -> None:
        self.rules, self.played, self.is_rounded = rules, played, is_rounded
        self.meetings = meetings
        self.competitor = Competitor(
            id=line.player_id,
            rating=line.pre_rating,
            games=line.pre_games,
            record=Record(line.pre_record),
            floor=line.floor_given,
            ceiling=line.ceiling_given,
        )
        self.games = converted_games(played.games, rules, is_youth=played.is_youth)
        self.rated = rate_foreign_event(
            self.competitor,
            [(one.converted, one.game.half_points) for one in self._counted()],
            rules,
            meetings,
        )

    def _counted(self) -> list[GameShown]:
        return [one for one in self.games if one.converted is not None]

    def _rating(self, rating: float) -> str:
        return str(official(rating)) if self.is_rounded else decimal_rating(rating)

    def sentence(self, subject: str) -> str:
        """Say what happened and why, in plain English."""
        rated = self.rated
        expected = plain(rated.expected)
        if not self.is_rounded:
            expected = unlike_score(rated.expected, rated.score)
        old, new = official(self.competitor.rating), official(rated.post)
        moved = _("stays at {new}").format(new=new)
        if old != new:
            moved = _("{word} from {old} to {new}").format(
                word="rises" if new > old else "falls", old=old, new=new
            )
        text = _(
            "{subject} scored {score} in "
            "{count} abroad where {expected} was expected, so "
            "the rating {moved}."
        ).format(
            subject=subject,
            score=half_points(rated.score),
            count=count(rated.games, "game"),
            expected=expected,
            moved=moved,
        )
        if rated.floor is not None:
            text += _(" The floor of {constant} holds it there.").format(
                constant=constant(rated.floor)
            )
        if rated.ceiling is not None:
            text += _(" The ceiling of {constant} holds it there.").format(
                constant=constant(rated.ceiling)
            )
        return text

    def steps(self) -> list[Step]:
        return [
            self._known(),
            self._opponents(),
            self._games_worth(),
            self._k(),
            self._formula(),
            self._bonus(),
            self._limits(),
            self._result(),
        ]

    def _known(self) -> Step:
        mine = self.competitor
        before = self._rating(mine.rating)
        step = Step(_("What was known"), before, source=SOURCE)
        facts = [
            (_("Rating before"), before),
            (_("Games it rests on (N)"), str(mine.games)),
            (_("Floor"), constant(mine.floor or self.rules.lowest_rating)),
        ]
        if mine.ceiling is not None:
            facts.append((_("Ceiling"), constant(mine.ceiling)))
        facts += [
            (_("Games that count (m)"), str(self.rated.games)),
            (_("System"), _("Regular")),
            (
                _("Played"),
                _("{first} to {last}").format(
                    first=day(self.played.starts), last=day(self.played.ends)
                ),
            ),
            (_("Youth event"), _("yes") if self.played.is_youth else _("no")),
        ]
        step.list_facts(facts)
        return step

    def _opponents(self) -> Step:
        expected = plain(self.rated.expected, 2 if self.is_rounded else 3)
        step = Step(_("The opponents on our scale"), expected, source=SOURCE)
        kind = _("youth event") if self.played.is_youth else "event"
        step.say(
            _(
                "Opponents’ FIDE ratings are converted for a {kind} that began "
                "{starts}:"
            ).format(kind=kind, starts=day(self.played.starts))
        )
        conversion = opponents_conversion(self.rules, youth=self.played.is_youth)
        step.list_facts(_pieces(conversion))
        step.typeset(mathml.winning_expectancy(self.rules.expectancy_scale))
        shares = self._table(step, expected)
        dropped = len(self.games) - len(shares)
        if dropped:
            step.say(
                ngettext(
                    "{count} opponent without a FIDE rating is ignored.",
                    "{count} opponents without a FIDE rating are ignored.",
                    dropped,
                ).format(count=dropped)
            )
        if not self.is_rounded:
            step.typeset(mathml.expected_score(shares, expected))
        return step

    def _table(self, step: Step, total: str) -> list[str]:
        rows: list[tuple[object, ...]] = []
        shares = []
        for one in self._counted():
            share = winning_expectancy(
                self.competitor.rating, one.converted, self.rules.expectancy_scale
            )
            shares.append(plain(share, 2 if self.is_rounded else 3))
            game = one.game
            rows.append(
                (
                    game.round_number,
                    game.opponent_name
                    or _("FIDE ID {opponent_fide_id}").format(
                        opponent_fide_id=game.opponent_fide_id
                    ),
                    half_points(game.half_points),
                    game.opponent_rating,
                    decimal_rating(one.converted),
                    shares[-1],
                )
            )
        step.tabulate(
            (
                _("Round"),
                _("Opponent"),
                _("Score"),
                "FIDE",
                _("Converted"),
                _("Expected"),
            ),
            rows,
            {0, 2, 3, 4, 5},
            ("", _("Together"), half_points(self.rated.score), "", "", total),
        )
        return shares

    def _games_worth(self) -> Step:
        rated, formula = self.rated, self.rules.effective_games
        step = Step(
            _("How many games the rating is worth (N′)"),
            plain(rated.effective_games),
            source=_("Rating system, section 3"),
        )
        step.say(
            _(
                "However many games a rating rests on, old ones count for less. N* "
                "is the "
                "most it can be worth at this height, and N′ the smaller of N and N*."
            )
        )
        most = most_effective_games(self.competitor.rating, formula)
        if self.competitor.rating > formula.full_above or self.is_rounded:
            step.say(_("Here N* is {plain}.").format(plain=plain(most)))
        else:
            step.typeset(
                mathml.most_effective_games(formula, self.competitor.rating, most)
            )
        step.typeset(
            mathml.effective_games(self.competitor.games, most, rated.effective_games)
        )
        return step

    def _k(self) -> Step:
        rated = self.rated
        step = Step(
            _("How far one point moves the rating (K)"),
            plain(rated.k, 2),
            source=_("Rating system, section 4.2"),
        )
        step.say(_("The lower K of dual-rated sections does not apply abroad."))
        if self.is_rounded:
            return step
        full, shown = letter_and_number(constant(self.rules.k_numerator))
        step.typeset(
            mathml.k_factor(full, shown, rated.effective_games, rated.games, rated.k)
        )
        return step

    def _formula(self) -> Step:
        rated = self.rated
        step = Step(
            _("Standard formula, applied once"),
            self._rating(rated.before_floor),
            source=_("Rating system, sections 4.2 and 6"),
        )
        step.say(
            _(
                "In a section the formula is applied twice, so that the opponents’ own "
                "results count. Abroad it is applied once."
            )
        )
        expected = plain(rated.expected, 2 if self.is_rounded else 3)
        if self.is_rounded:
            step.list_facts(
                [
                    ("R", self._rating(self.competitor.rating)),
                    ("K", plain(rated.k)),
                    (_("Score S"), points(rated.score)),
                    (_("Expected score E"), expected),
                ]
            )
            return step
        step.typeset(
            mathml.standard_rating(
                self.competitor.rating,
                rated.k,
                points(rated.score),
                expected,
                rated.bonus,
                decimal_rating(rated.before_floor),
            )
        )
        return step

    def _bonus(self) -> Step:
        rated, rules = self.rated, self.rules
        shown = plain(rated.bonus, 0 if self.is_rounded else 2)
        step = Step(
            _("Bonus"),
            shown if rated.bonus else "none",
            source=_("Rating system, section 4.2"),
        )
        reason = why_no_bonus(rated.games, self.meetings, rules, is_match=False)
        if reason is not None:
            step.say(
                NO_BONUS[reason].format(
                    least=rules.bonus_from_games, meetings=rules.bonus_meetings
                )
            )
            return step
        step.say(
            _(
                "Points gained beyond a threshold are doubled. m′ is the number of "
                "games, "
                "at least {bonus_counts_at_least}."
            ).format(bonus_counts_at_least=rules.bonus_counts_at_least)
        )
        if not self.is_rounded:
            step.typeset(
                mathml.bonus(
                    rated.k * (rated.score / 2.0 - rated.expected),
                    rules.bonus_multiplier,
                    max(rated.games, rules.bonus_counts_at_least),
                    bonus_threshold(rated.games, rules),
                    rated.bonus,
                )
            )
        if not rated.bonus:
            step.say(_("The result stays below the threshold, so there is no bonus."))
        return step

    def _limits(self) -> Step:
        rated, mine = self.rated, self.competitor
        acted = [
            word
            for word, value in (("floor", rated.floor), ("ceiling", rated.ceiling))
            if value is not None
        ]
        step = Step(
            _("Floor and ceiling"),
            " and ".join(acted) if acted else _("none acted"),
            source=_("Rating system, sections 5 and 7"),
        )
        level = mine.floor or self.rules.lowest_rating
        if rated.floor is not None:
            step.say(
                _(
                    "The formula gives {rating}, which is under "
                    "the floor of {constant}; the floor holds."
                ).format(
                    rating=self._rating(rated.before_floor), constant=constant(level)
                )
            )
        else:
            step.say(
                _("The floor of {constant} did not come into play.").format(
                    constant=constant(level)
                )
            )
        if rated.ceiling is not None:
            step.say(
                _("The ceiling of {constant} holds the rating.").format(
                    constant=constant(rated.ceiling)
                )
            )
        elif mine.ceiling is not None:
            step.say(
                _("The ceiling of {constant} did not come into play.").format(
                    constant=constant(mine.ceiling)
                )
            )
        return step

    def _result(self) -> Step:
        rated = self.rated
        new = official(rated.post)
        moved = signed(new - official(self.competitor.rating))
        step = Step(_("Result"), str(new), source=SOURCE)
        exact = (
            ""
            if self.is_rounded
            else _("{post}, rounded ").format(post=decimal_rating(rated.post))
        )
        step.say(
            _(
                "The new rating is {exact}{new}, a change of {moved} in whole numbers."
            ).format(exact=exact, new=new, moved=moved)
        )
        step.say(
            _("It now rests on {games} + {games2} = {count}.").format(
                games=self.competitor.games,
                games2=rated.games,
                count=count(rated.post_games, "game"),
            )
        )
        return step


def _pieces(conversion: Conversion) -> Sequence[tuple[str, str]]:
    """Write a conversion piece by piece: for which ratings, and how."""
    rows, low = [], None
    for line in conversion.lines:
        if line.up_to is None:
            which = (
                _("All") if low is None else _("Above {low}").format(low=constant(low))
            )
        else:
            which = _("Up to {constant}").format(constant=constant(line.up_to))
        start = constant(line.intercept)
        rows.append(
            (f"FIDE {which.lower()}", f"{start} + {constant(line.slope)} × FIDE")
        )
        low = line.up_to
    return rows
