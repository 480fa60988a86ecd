"""Prefill the estimator: member IDs for names, ratings, and the next event.

Input is never overwritten.
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
from players.formats.member_ids import MEMBER_ID
from players.members.queries import find_players, suggest_players
from players.models import Player
from ratings.engine.systems import System
from ratings.ledger.queries.published_ratings import current_published
from ratings.ledger.services.ledger_lines import rules_for_day
from ratings.pages.estimator.forms import EVENT, MAX_PLAYER_LENGTH
from ratings.pages.estimator.parsing import MAX_OPPONENTS, is_name
from ratings.pages.estimator.queries import (
    EventKind,
    event_kind,
    likely_opponents,
    usual_conditions,
)
from ratings.pages.estimator.services import known_rating, members_by_id, public_states
from ratings_site.common.names.phonetics import searchable
from ratings_site.common.ui.formatting import whole

MAX_LIKELY = 8
PICK = "pick"
MEMBER = "member"
FILLED = "filled"
EVENT_NUMBER = re.compile(r"[0-9]{1,9}", re.ASCII)
RATING = re.compile(r"[0-9]{3,4}(\.[0-9]{1,2})?", re.ASCII)


def resolve_names(query: QueryDict) -> tuple[QueryDict, dict[str, Sequence[Player]]]:
    """Replace names with member IDs; return the candidates for ambiguous names.

    A name of only one member is replaced. For others the user chooses: `pick` maps
    names to IDs.
    """
    picked = dict(pair.rsplit(":", 1) for pair in query.getlist(PICK) if ":" in pair)
    texts = [query.get(MEMBER, ""), *query.getlist("o")[:MAX_OPPONENTS]]
    names = dict.fromkeys(text.strip()[:MAX_PLAYER_LENGTH] for text in texts)
    ids: dict[str, str] = {}
    candidates: dict[str, Sequence[Player]] = {}
    for name in filter(is_name, names):
        member, found = _match_name(name)
        if member is not None:
            ids[name] = member.member_id
        elif picked.get(name) in {one.member_id for one in found}:
            ids[name] = picked[name]
        else:
            candidates[name] = found
    filled = query.copy()
    filled.pop(PICK, None)
    for key in {MEMBER, "o"} & query.keys():
        given = query.getlist(key)
        filled.setlist(key, [ids.get(text.strip(), text) for text in given])
    return filled, candidates


def _match_name(name: str) -> tuple[Player | None, Sequence[Player]]:
    """Return the member of a name if only one has it, else several to choose from.

    Matches by sound or with a typo have to be chosen, even if there is only one.
    """
    found = list(find_players(name).filter(merged_into=None)[:MAX_LIKELY])
    words = searchable(name).split()
    same = [one for one in found if sorted(one.search_name.split()) == sorted(words)]
    if len(same) == 1:
        return same[0], ()
    if len(found) == 1 and _is_spelled(found[0], words):
        return found[0], ()
    return None, found or suggest_players(name)


def _is_spelled(member: Player, words: Sequence[str]) -> bool:
    known = [*member.search_name.split(), member.search_family, member.state.lower()]
    return all(any(one.startswith(word) for one in known) for word in words)


def member_of(query: QueryDict) -> Player | None:
    """Return the member whose ID is in the URL."""
    member_id = query.get(MEMBER, "")
    if not MEMBER_ID.whole.fullmatch(member_id):
        return None
    return members_by_id([member_id]).get(member_id)


# --- The record ---


def prefill_from_record(query: QueryDict, member: Player | None) -> QueryDict:
    """Fill in a member's record where the URL has no rating.

    The time control is the member's usual one.
    """
    filled = query.copy()
    if member is not None:
        if not query.get("system") or not query.get("control"):
            _prefill_conditions(filled, member)
        if "rating" not in query:
            _prefill_rating(filled, member)
    filled.setdefault("system", System.OTBR.value)
    return filled


def _prefill_conditions(filled: QueryDict, member: Player) -> None:
    system = _system_in(filled)
    usual = usual_conditions(member, system)
    if usual is None:
        return
    if system is None:
        filled["system"] = _first_rated(usual.systems, member).value
    if not filled.get("control"):
        filled["control"] = usual.control.text


def _first_rated(systems: Sequence[System], member: Player) -> System:
    rated = current_published([member.pk])[member.pk]
    return next((one for one in systems if one in rated), systems[0])


def _system_in(query: QueryDict) -> System | None:
    typed = query.get("system", "")
    return System(typed) if typed in set(System) else None


def _prefill_rating(filled: QueryDict, member: Player) -> None:
    today = timezone.localdate()
    state = public_states([member], day=today)[member.pk]
    rated = [system.value for system in System if system in state.standings]
    filled.setdefault("system", rated[0] if rated else System.OTBR.value)
    if filled["system"] not in rated:
        return
    known = known_rating(state, System(filled["system"]), rules_for_day(today))
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
class EventPrefill:
    """The parameters filled in from the chosen event, and the sentence about them.

    The *prefill_state* records which opponents were filled in, for which event and
    member: another choice replaces these, but no input.
    """

    query: QueryDict
    sentence: str = ""
    prefill_state: str = ""


def chosen_event(query: QueryDict) -> int:
    """Return the primary key of the calendar event in the URL, or 0."""
    typed = query.get(EVENT, "")
    return int(typed) if EVENT_NUMBER.fullmatch(typed) else 0


@dataclass(frozen=True, slots=True)
class PrefillState:
    """The opponents that were filled in, for which event and member."""

    event: str = ""
    member: str = ""
    filled: frozenset[str] = frozenset()

    def __str__(self) -> str:
        return f"{self.event}:{self.member}:{'.'.join(sorted(self.filled))}"


def _parse_prefill_state(text: str) -> PrefillState:
    event, _colon, rest = text.partition(":")
    member, _colon, filled = rest.partition(":")
    return PrefillState(event, member, frozenset(filter(None, filled.split("."))))


def prefill_from_event(
    query: QueryDict, member: Player | None, registered: EventRegistration | None
) -> EventPrefill:
    """Fill in the conditions and the likely opponents of the chosen event."""
    filled = query.copy()
    was = _parse_prefill_state(filled.pop(FILLED, [""])[-1])
    if registered is None:
        return EventPrefill(filled)
    kind = event_kind(registered)
    if kind is None:
        return EventPrefill(
            filled, _("The time control of this event is not known yet.")
        )
    ratings = current_published([member.pk])[member.pk] if member else {}
    is_another = was.event not in ("", str(registered.pk))
    _prefill_conditions_of_event(
        filled, registered, kind, list(ratings), overwrite=is_another
    )
    now = PrefillState(str(registered.pk), member.member_id if member else "")
    rating = _rating_in(filled, ratings)
    if member is None and rating is None:
        asks = _("Enter your name or rating to see likely opponents.")
        return EventPrefill(filled, asks, str(now))
    rows, has_room = _rows_to_keep(query, was, now)
    candidates: list[str] = []
    if has_room:
        system, there = System(str(filled["system"])), {text for text, _result in rows}
        found = likely_opponents(kind, system, rating, exclude=member)
        left = max(min(kind.rounds, MAX_OPPONENTS) - len(rows), 0)
        candidates = [one for one in found if one not in there][:left]
    rows += [(one, "") for one in candidates]
    filled.setlist("o", [text for text, _result in rows])
    filled.setlist("r", [result for _text, result in rows])
    still = was.filled & {text for text, _result in rows}
    now = replace(now, filled=still.union(candidates))
    return EventPrefill(filled, _candidates_source(kind, registered), str(now))


def _rating_in(filled: QueryDict, ratings: Mapping[System, float]) -> float | None:
    """Return the player's rating, to find opponents near it; None if unrated."""
    typed, system = filled.get("rating", "").strip(), System(str(filled["system"]))
    if RATING.fullmatch(typed):
        return float(typed)
    return float(whole(ratings[system])) if system in ratings else None


def _prefill_conditions_of_event(
    filled: QueryDict,
    registered: EventRegistration,
    kind: EventKind,
    rated: Sequence[System],
    *,
    overwrite: bool,
) -> None:
    """Fill in system, time control and day; *overwrite* those of another event."""
    systems = kind.played.systems
    if _system_in(filled) not in systems:
        mine = next((one for one in systems if one in rated), systems[0])
        filled["system"] = mine.value
    if overwrite or not filled.get("control"):
        filled["control"] = kind.played.control.text
    if overwrite or not filled.get("day"):
        filled["day"] = registered.ends.isoformat()


def _rows_to_keep(
    query: QueryDict, was: PrefillState, now: PrefillState
) -> tuple[list[tuple[str, str]], bool]:
    """Return the rows to keep, and whether likely opponents can be added.

    Rows without a result that were filled in for another event or member are dropped.
    """
    pairs = zip_longest(query.getlist("o"), query.getlist("r"), fillvalue="")
    rows = [(text.strip(), result) for text, result in pairs if text.strip() or result]
    if (was.event, was.member) == (now.event, now.member):
        return rows, not rows
    kept = [one for one in rows if one[1] or one[0] not in was.filled]
    return kept, not kept or bool(was.filled)


def _candidates_source(kind: EventKind, registered: EventRegistration) -> str:
    """Return the sentence on the source of the likely opponents."""
    if not kind.sections:
        return _(
            "{affiliate} has not held such an event yet. Enter the opponents you "
            "expect."
        ).format(affiliate=registered.affiliate.name)
    return ngettext(
        "Likely opponents: players near this rating at the last such event of "
        "{affiliate}.",
        "Likely opponents: players near this rating at the last {events} such events "
        "of {affiliate}.",
        kind.events,
    ).format(events=kind.events, affiliate=registered.affiliate.name)
