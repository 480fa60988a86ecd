"""What an address says, filled in from the books: whom names mean, a member's record,
and the next event of the calendar.

What was typed stays as it was typed.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from django.http import QueryDict
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from events.models import EventRegistration
from players.models import Player
from players.models.player import member_id_is_eight_digits
from ratings.engine.systems import System
from ratings.estimator.forms import EVENT, LONGEST_PLAYER
from ratings.estimator.queries.answers import meant_by
from ratings.estimator.queries.next_event import (
    Kind,
    kind_of,
    likely_opponents,
    usually_played,
)
from ratings.estimator.services import known_rating, members_named, public_states
from ratings.estimator.text import MOST_OPPONENTS, is_name
from ratings.ledger.queries.published import current_published
from ratings.ledger.services.lines import rules_of
from ratings_site.common.looks.figures import whole

PICK = "pick"
MEMBER = "member"
FILLED = "filled"
EVENT_NUMBER = re.compile(r"[0-9]{1,9}", re.ASCII)
RATING = re.compile(r"[0-9]{3,4}(\.[0-9]{1,2})?", re.ASCII)


def with_members(said: QueryDict) -> tuple[QueryDict, dict[str, Sequence[Player]]]:
    """Put member IDs in the place of names; return whom the other names may mean.

    A name that is one member's only is that member's. For another one people choose:
    `pick` says which ID stands for which name.
    """
    picked = dict(pair.rsplit(":", 1) for pair in said.getlist(PICK) if ":" in pair)
    texts = [said.get(MEMBER, ""), *said.getlist("o")[:MOST_OPPONENTS]]
    names = dict.fromkeys(text.strip()[:LONGEST_PLAYER] for text in texts)
    ids: dict[str, str] = {}
    likely: dict[str, Sequence[Player]] = {}
    for name in filter(is_name, names):
        meant = meant_by(name)
        if meant.member is not None:
            ids[name] = meant.member.member_id
        elif picked.get(name) in {one.member_id for one in meant.likely}:
            ids[name] = picked[name]
        else:
            likely[name] = meant.likely
    filled = said.copy()
    filled.pop(PICK, None)
    for key in {MEMBER, "o"} & said.keys():
        given = said.getlist(key)
        filled.setlist(key, [ids.get(text.strip(), text) for text in given])
    return filled, likely


def member_of(said: QueryDict) -> Player | None:
    """Return the member whose ID an address says."""
    member_id = said.get(MEMBER, "")
    if not member_id_is_eight_digits.regex.fullmatch(member_id):
        return None
    return members_named([member_id]).get(member_id)


# --- The record ---


def with_record(said: QueryDict, member: Player | None) -> QueryDict:
    """Fill a member's record into what an address says, where it says no rating.

    The time control is that which the member usually plays.
    """
    filled = said.copy()
    if member is not None:
        if not said.get("system") or not said.get("control"):
            _fill_in_usual(filled, member)
        if "rating" not in said:
            _fill_in_rating(filled, member)
    filled.setdefault("system", System.OTBR.value)
    return filled


def _fill_in_usual(filled: QueryDict, member: Player) -> None:
    system = _system_in(filled)
    usual = usually_played(member, system)
    if usual is None:
        return
    if system is None:
        filled["system"] = _first_rated(usual.systems, member).value
    if not filled.get("control"):
        filled["control"] = usual.control.text


def _first_rated(systems: Sequence[System], member: Player) -> System:
    rated = current_published([member.pk])[member.pk]
    return next((one for one in systems if one in rated), systems[0])


def _system_in(said: QueryDict) -> System | None:
    typed = said.get("system", "")
    return System(typed) if typed in set(System) else None


def _fill_in_rating(filled: QueryDict, member: Player) -> None:
    today = timezone.localdate()
    state = public_states([member], day=today)[member.pk]
    rated = [system.value for system in System if system in state.standings]
    filled.setdefault("system", rated[0] if rated else System.OTBR.value)
    if filled["system"] not in rated:
        return
    known = known_rating(state, System(filled["system"]), rules_of(today))
    if known is not None:
        typed, record = known
        filled["rating"] = as_typed(typed.rating)
        filled.setdefault("games", str(typed.games))
        filled.setdefault("floor", str(typed.floor))
        filled.setdefault("record", record.value)


def as_typed(rating: float) -> str:
    return f"{rating:.2f}".removesuffix(".00")


# --- The next event ---


@dataclass(frozen=True, slots=True)
class FromEvent:
    """An address with what the chosen event brings, and how that is said.

    The *mark* keeps for which event and member opponents were filled in, and which:
    another choice replaces these, and nothing that was typed.
    """

    said: QueryDict
    sentence: str = ""
    mark: str = ""


def chosen_event(said: QueryDict) -> int:
    """Return which event of the calendar an address says; 0 is none."""
    typed = said.get(EVENT, "")
    return int(typed) if EVENT_NUMBER.fullmatch(typed) else 0


@dataclass(frozen=True, slots=True)
class Mark:
    """Which opponents were filled in for which event and member."""

    event: str = ""
    member: str = ""
    filled: frozenset[str] = frozenset()

    def __str__(self) -> str:
        return f"{self.event}:{self.member}:{'.'.join(sorted(self.filled))}"


def _mark_in(text: str) -> Mark:
    event, _colon, rest = text.partition(":")
    member, _colon, filled = rest.partition(":")
    return Mark(event, member, frozenset(filter(None, filled.split("."))))


def with_event(
    said: QueryDict, member: Player | None, registered: EventRegistration | None
) -> FromEvent:
    """Fill in how the chosen event is played, and who is likely to be met there."""
    filled = said.copy()
    was = _mark_in(filled.pop(FILLED, [""])[-1])
    if registered is None:
        return FromEvent(filled)
    kind = kind_of(registered)
    if kind is None:
        return FromEvent(filled, _("Nothing tells yet how this event is played."))
    ratings = current_published([member.pk])[member.pk] if member else {}
    is_another = was.event not in ("", str(registered.pk))
    _fill_in_kind(filled, registered, kind, list(ratings), anyhow=is_another)
    now = Mark(str(registered.pk), member.member_id if member else "")
    rating = _rating_in(filled, ratings)
    if member is None and rating is None:
        asks = _("Enter your name or rating, and likely opponents appear.")
        return FromEvent(filled, asks, str(now))
    rows, has_room = _rows_to_keep(said, was, now)
    likely = _likely(filled, kind, rating, member, rows) if has_room else []
    rows += [(one, "") for one in likely]
    filled.setlist("o", [text for text, _result in rows])
    filled.setlist("r", [result for _text, result in rows])
    still = was.filled & {text for text, _result in rows}
    now = replace(now, filled=still.union(likely))
    return FromEvent(filled, _said_of(kind, registered), str(now))


def _rating_in(filled: QueryDict, ratings: Mapping[System, float]) -> float | None:
    """Return near which rating opponents are likely; None for somebody unrated."""
    typed, system = filled.get("rating", "").strip(), System(filled["system"])
    if RATING.fullmatch(typed):
        return float(typed)
    return float(whole(ratings[system])) if system in ratings else None


def _likely(
    filled: QueryDict,
    kind: Kind,
    rating: float | None,
    member: Player | None,
    rows: Sequence[tuple[str, str]],
) -> list[str]:
    """Return whom the rounds that are left may bring."""
    there = {text for text, _result in rows}
    found = likely_opponents(kind, System(filled["system"]), rating, but=member)
    left = max(min(kind.rounds, MOST_OPPONENTS) - len(rows), 0)
    return [one for one in found if one not in there][:left]


def _fill_in_kind(
    filled: QueryDict,
    registered: EventRegistration,
    kind: Kind,
    rated: Sequence[System],
    *,
    anyhow: bool,
) -> None:
    """Fill in system, time control and day; *anyhow* for those of another event."""
    systems = kind.played.systems
    if _system_in(filled) not in systems:
        mine = next((one for one in systems if one in rated), systems[0])
        filled["system"] = mine.value
    if anyhow or not filled.get("control"):
        filled["control"] = kind.played.control.text
    if anyhow or not filled.get("day"):
        filled["day"] = registered.ends.isoformat()


def _rows_to_keep(
    said: QueryDict, was: Mark, now: Mark
) -> tuple[list[tuple[str, str]], bool]:
    """Return the lines that stay, and whether likely opponents may be added.

    Of another event or member, those go that were filled in and have no result.
    """
    pairs = zip_longest(said.getlist("o"), said.getlist("r"), fillvalue="")
    rows = [(text.strip(), result) for text, result in pairs if text.strip() or result]
    if (was.event, was.member) == (now.event, now.member):
        return rows, not rows
    kept = [one for one in rows if one[1] or one[0] not in was.filled]
    return kept, not kept or bool(was.filled)


def _said_of(kind: Kind, registered: EventRegistration) -> str:
    """Say where likely opponents come from."""
    if not kind.sections:
        return _(
            "{affiliate} has held no event of this kind yet. Enter whom you expect."
        ).format(affiliate=registered.affiliate.name)
    return ngettext(
        "Likely opponents: near this rating, and there at the last event of this "
        "kind of {affiliate}.",
        "Likely opponents: near this rating, and there at the last {events} events of "
        "this kind of {affiliate}.",
        kind.events,
    ).format(events=kind.events, affiliate=registered.affiliate.name)
