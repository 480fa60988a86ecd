"""Rules of before 2013 as texts of that time have them: reconstructions.

The office rates by what its editions say, and for these days they say too little. An
experiment may take an older text's word; whatever it then says is a reconstruction,
with this badge. What no text is known for stays unknown: to need it still refuses.
"""

from __future__ import annotations

from datetime import date
from typing import Any, Final

from ratings.engine.dated import Dated, NoRuleInForce, Since
from ratings.engine.parameters import SEPTEMBER_2020, EffectiveGames
from ratings.engine.rules import Rules
from ratings.engine.words import _

BADGE: Final = _("reconstruction")
FIRST_DAY: Final = date(2004, 1, 1)

_TEXT_OF_2004: Final = (
    "M. E. Glickman, T. Doan, The USCF Rating System, 22 September 2004, "
    "math.bu.edu/people/mg/ratings/rs"
)

RECONSTRUCTED: Final[dict[str, Dated[Any]]] = {
    "effective_games": Dated(
        _("effective-games formula"),
        (
            Since(
                FIRST_DAY,
                EffectiveGames(
                    limit=50.0,
                    full_above=2200.0,
                    base=1.0,
                    slope=1 / 100_000,
                    pivot=2200.0,
                ),
                _TEXT_OF_2004 + ", section 2.1",
            ),
        ),
    ),
    "lower_k_when_dual": Dated(
        _("lower K above 2200 in dual-rated sections"),
        (
            Since(
                FIRST_DAY,
                False,
                "begun on 8 May 2013: office announcement of 13 May 2013",
            ),
        ),
    ),
}
"""What is filled in, by the names of the parameters of `Rules`, with its source."""


def reconstructed(rules: Rules) -> Rules:
    """Return *rules* with what older texts say where their own edition is silent.

    >>> from ratings.engine.rules import rules_in_force
    >>> rules = reconstructed(rules_in_force(date(2005, 5, 7)))
    >>> rules.effective_games.pivot, rules.lower_k_when_dual
    (2200.0, False)
    >>> today = rules_in_force(date(2024, 5, 4))
    >>> reconstructed(today) is today
    True
    """
    filled = {
        name: dated.on(rules.day, SEPTEMBER_2020)
        for name, dated in RECONSTRUCTED.items()
        if _is_silent(rules, name) and rules.day >= FIRST_DAY
    }
    return rules.vary(**filled) if filled else rules


def _is_silent(rules: Rules, name: str) -> bool:
    try:
        getattr(rules, name)
    except NoRuleInForce:
        return True
    return False
