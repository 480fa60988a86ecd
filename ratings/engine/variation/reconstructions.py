"""Reconstructed rules of before 2013, from texts of that time.

The office rates by its editions, which have too little for these days. An experiment
may use an older text instead; the result is a reconstruction, with this badge. A value
that no text gives stays unknown: a calculation that needs it still fails.
"""

from __future__ import annotations

from datetime import date
from typing import Any, Final

from ratings.engine.i18n import _
from ratings.engine.parameters import SEPTEMBER_2020, EffectiveGames
from ratings.engine.rule_history import DatedValue, NoRuleInForce, RuleHistory
from ratings.engine.rules import Rules

BADGE: Final = _("reconstruction")
FIRST_DAY: Final = date(2004, 1, 1)

_TEXT_OF_2004: Final = (
    "M. E. Glickman, T. Doan, The USCF Rating System, 22 September 2004, "
    "math.bu.edu/people/mg/ratings/rs"
)

RECONSTRUCTED: Final[dict[str, RuleHistory[Any]]] = {
    "effective_games": RuleHistory(
        _("effective-games formula"),
        DatedValue(
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
    "lower_k_when_dual": RuleHistory(
        _("lower K above 2200 in dual-rated sections"),
        DatedValue(
            FIRST_DAY,
            False,
            "begun on 8 May 2013: office announcement of 13 May 2013",
        ),
    ),
}
"""What is filled in, by the names of the parameters of `Rules`, with its source."""


def reconstructed(rules: Rules) -> Rules:
    """Return *rules* with values of older texts that their own edition lacks.

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
