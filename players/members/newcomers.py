"""The hook that matches new members with newcomers of reports.

Reports may list a child who played before the membership system had a record. The
higher app registers a matcher (``register_newcomer_matcher``); code that adds members
calls ``match_newcomers``.
"""

from collections.abc import Callable, Sequence

from players.models import Player

Matcher = Callable[[Sequence[Player]], int]

_matchers: list[Matcher] = []


def register_newcomer_matcher(matcher: Matcher) -> Matcher:
    """Register *matcher* to match new members; it returns the number of matches."""
    _matchers.append(matcher)
    return matcher


def match_newcomers(players: Sequence[Player]) -> int:
    """Match new members with waiting newcomers; return how many matched.

    Call it in the transaction that added them, for as many as possible at once; it
    takes one query if no newcomer is waiting. Calling it twice has no further effect.
    """
    return sum(matcher(players) for matcher in _matchers) if players else 0
