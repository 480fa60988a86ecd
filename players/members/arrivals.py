"""Who hears of members that are new here.

Reports may wait for them: a child who played before the membership system knew of the
child. The rooms above say what they do then (``matches_newcomers``); what brings new
members in calls ``match_newcomers``.
"""

from collections.abc import Callable, Sequence

from players.models import Player

Matcher = Callable[[Sequence[Player]], int]

_matchers: list[Matcher] = []


def matches_newcomers(matcher: Matcher) -> Matcher:
    """Have *matcher* asked whom new members may be; it returns how many it found."""
    _matchers.append(matcher)
    return matcher


def match_newcomers(players: Sequence[Player]) -> int:
    """Return for how many waiting newcomers these new members are the very ones.

    Call it in the transaction that entered them, with as many as there are at once;
    it takes one query where nobody waits. Calling it twice does nothing more.
    """
    return sum(matcher(players) for matcher in _matchers) if players else 0
