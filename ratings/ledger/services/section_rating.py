"""Rate a section in all its systems from given states; write nothing."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ratings.engine.inputs import Competitor, Kind, RatingInput
from ratings.engine.matches import MatchNets, match_nets
from ratings.engine.results import RatingResult
from ratings.engine.rule_history import NoRuleInForce
from ratings.engine.rules import Rules
from ratings.engine.section import rate_section as rate_card
from ratings.engine.systems import System
from ratings.engine.time_controls import BadTimeControl, NotRatable
from ratings.ledger.services.player_states import PlayerState
from ratings.ledger.services.rating_inputs import (
    Person,
    SectionFacts,
    build_rating_input,
    rules_for,
)


class SelfPairing(ValueError):
    """Two who played each other have been merged; the message names them."""


# Permanent errors: a retry cannot rate the section either.
UNRATABLE_ERRORS = (BadTimeControl, NotRatable, NoRuleInForce, SelfPairing)


@dataclass(frozen=True, slots=True)
class RatedSystem:
    """A section rated in one system, before anything is written."""

    system: System
    rating_input: RatingInput
    rules: Rules
    results: tuple[RatingResult, ...]

    def players(self) -> Iterator[tuple[RatingResult, Competitor]]:
        """Yield the results of those who played, with their competitors.

        A player without a game keeps the rating and gets no line in the ledger.
        """
        for result, competitor in zip(
            self.results, self.rating_input.competitors, strict=True
        ):
            if result.games:
                yield result, competitor

    def match_nets(self, competitor: Competitor) -> MatchNets | None:
        """Return the net changes by earlier matches.

        None outside a match, and for an unrated player, who has no limit.
        """
        if self.rating_input.kind is not Kind.MATCH or competitor.rating is None:
            return None
        return match_nets(self.rating_input.end_date, competitor.match_changes)


def rate_facts(
    facts: SectionFacts, states: Mapping[Person, PlayerState]
) -> list[RatedSystem]:
    """Rate a section in all its systems from the same states; write nothing.

    Both systems of a dual-rated section start from the states before it, so neither
    result starts the other.
    """
    rules = rules_for(facts)
    rated = []
    for system in facts.systems:
        rating_input = build_rating_input(facts, states, system=system, rules=rules)
        rated.append(
            RatedSystem(system, rating_input, rules, rate_card(rating_input, rules))
        )
    return rated
