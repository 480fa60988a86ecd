"""Rate a section in all its systems from given states; write nothing."""

from collections.abc import Iterator
from dataclasses import dataclass

from ratings.engine.cards import Competitor, Kind, SectionCard
from ratings.engine.matches import MatchNets, match_nets
from ratings.engine.outcomes import Rated
from ratings.engine.rules import NoRuleInForce, Rules
from ratings.engine.section import rate_section as rate_card
from ratings.engine.systems import System
from ratings.engine.time_controls import BadTimeControl, NotRatable
from ratings.ledger.services.cards import SectionFacts, card_for, rules_for
from ratings.ledger.services.states import PlayerState


class OwnOpponent(ValueError):
    """Two who played each other are one member by now; the message says who."""


# What makes a section impossible to rate, however often one tries.
UNRATABLE = (BadTimeControl, NotRatable, NoRuleInForce, OwnOpponent)


@dataclass(frozen=True, slots=True)
class RatedSystem:
    """A section rated in one system, before anything is written."""

    system: System
    card: SectionCard
    rules: Rules
    results: tuple[Rated, ...]

    def players(self) -> Iterator[tuple[Rated, Competitor]]:
        """Yield the results of those who played, each with what they brought.

        A player without a game keeps the rating and gets no line in the ledger.
        """
        for result, competitor in zip(self.results, self.card.competitors, strict=True):
            if result.games:
                yield result, competitor

    def match_nets(self, competitor: Competitor) -> MatchNets | None:
        """Return what earlier matches leave room for; None outside a match, and for
        somebody unrated, whom no limit concerns.
        """
        if self.card.kind is not Kind.MATCH or competitor.rating is None:
            return None
        return match_nets(self.card.end_date, competitor.match_changes)


def rate_facts(
    facts: SectionFacts, states: dict[int, PlayerState]
) -> list[RatedSystem]:
    """Rate a section in all its systems from the same states; write nothing.

    Both systems of a dual-rated section start from the states before it, so neither
    result starts the other.
    """
    rules = rules_for(facts)
    rated = []
    for system in facts.systems:
        card = card_for(facts, states, system=system, rules=rules)
        rated.append(RatedSystem(system, card, rules, rate_card(card, rules)))
    return rated
