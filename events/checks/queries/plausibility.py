"""Checks of whether a report can be true: days, places, colors, duplicate reports.

Checks that need time controls are in the section rater
(``events.records.section_rater``). Messages stay in English: a TD's override refers to
the message it answers.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from datetime import date, timedelta
from itertools import chain
from typing import NamedTuple

from django.db.models import Count, F, Q, QuerySet
from django.utils import timezone

from events.checks.name_matching import are_neighbors
from events.checks.queries.identity import MatchedEntry, matched_entries
from events.formats.findings import Finding, Place, Severity, make_finding
from events.formats.played_games import PlayedGame, played_games
from events.formats.report import ReportedEvent, ReportedSection
from events.formats.result_codes import OTHER_COLOR
from events.formats.translatable_text import translatable_date
from events.models import Entry, Event, Game, Submission
from players.models import Player

# A year mistyped in January makes an event about this old.
MAX_EVENT_AGE = timedelta(days=300)
# The same games within this time are one event under two dates.
SAME_RESULTS_WITHIN = timedelta(days=62)
# The most reports of a day that are read to find a duplicate.
MAX_COMPARED = 50
# Four players who meet weekly often repeat six results, rarely twelve.
MIN_SAME_GAMES = 12
SAME_GAMES_SHARE = 0.8
# Programs avoid these color sequences unless they must.
MAX_IN_A_ROW = 2
MAX_COLORS_APART = 2
# In these types a table or the players decide the colors.
PAIRED_SECTION_KINDS = frozenset({"S"})
# The most names in one message.
MAX_NAMED = 8


def check_plausibility(
    reported: ReportedEvent,
    members: dict[str, Player],
    *,
    submission: Submission | None = None,
) -> Iterator[Finding]:
    """Find implausible days, places and games."""
    yield from _check_age(reported)
    yield from _check_colors(reported)
    yield from _check_two_places(reported, members, submission)
    ours = _games_in(reported)
    yield from _check_other_reports(reported, ours, submission)
    yield from _check_other_dates(reported, ours, members, submission)


def _check_age(reported: ReportedEvent) -> Iterator[Finding]:
    if reported.ends and timezone.localdate() - reported.ends > MAX_EVENT_AGE:
        yield make_finding(
            "event.old", Place(field="ends"), ends=translatable_date(reported.ends)
        )


# Colors


def _check_colors(reported: ReportedEvent) -> Iterator[Finding]:
    """Note players with colors that no pairing program gives, once per section."""
    for section in reported.sections:
        if section.kind_letter not in PAIRED_SECTION_KINDS:
            continue
        odd = sorted(_players_with_unusual_colors(section))
        if odd:
            more = len(odd) - MAX_NAMED
            yield make_finding(
                "section.colors_unusual" + ("/more" if more > 0 else ""),
                Place(section=section.number),
                named=", ".join(str(number) for number in odd[:MAX_NAMED]),
                more=more,
            )


def _players_with_unusual_colors(section: ReportedSection) -> Iterator[int]:
    if section.has_double_codes:
        return
    colors: defaultdict[int, list[str]] = defaultdict(list)
    for game in sorted(played_games(section), key=lambda game: game.round_number):
        colors[game.first].append(game.first_color)
        colors[game.second].append(OTHER_COLOR[game.first_color])
    for number, held in colors.items():
        if "" not in held and _has_unusual_colors(held):
            yield number


def _has_unusual_colors(colors: list[str]) -> bool:
    """Return whether a player had one color too often, in a row or in all.

    >>> [_has_unusual_colors(list(colors)) for colors in ("WBWBW", "WWW", "WWBWWBW")]
    [False, True, True]
    """
    held = Counter(colors)
    in_a_row = MAX_IN_A_ROW + 1
    return abs(held["W"] - held["B"]) > MAX_COLORS_APART or any(
        len(set(colors[at : at + in_a_row])) == 1
        for at in range(len(colors) - MAX_IN_A_ROW)
    )


# One person in two places


class _OtherEvent(NamedTuple):
    """A member's games of the same days in another accepted event."""

    event: str
    city: str
    state: str


def _check_two_places(
    reported: ReportedEvent, members: dict[str, Player], submission: Submission | None
) -> Iterator[Finding]:
    """Find members who played elsewhere on every day of this event.

    Only members with a game on each day, here and there, count: a month of weekly games
    leaves time for a weekend in another state.
    """
    if not reported.city or reported.starts is None or reported.ends is None:
        return
    busy = list(_fully_occupied(reported, matched_entries(reported, members)))
    elsewhere = _other_events(busy, reported, submission)
    for seat, starts, ends in busy:
        for begins, stops, other in elsewhere[seat.player.pk]:
            if starts <= stops and begins <= ends:
                yield _two_places(reported, seat, other)
                break


def _fully_occupied(
    reported: ReportedEvent, seats: Iterable[MatchedEntry]
) -> Iterator[tuple[MatchedEntry, date, date]]:
    """Yield members with a game over the board on each day, and the days."""
    games: Counter[tuple[int, int]] = Counter()
    for section in reported.sections:
        for game in played_games(section):
            games[section.number, game.first] += 1
            games[section.number, game.second] += 1
    for seat in seats:
        starts, ends = reported.dates_of(seat.section)
        if seat.section.online or starts is None or ends is None or ends < starts:
            continue
        played = games[seat.section.number, seat.entry.pairing_number]
        if played >= (ends - starts).days + 1:
            yield seat, starts, ends


def _other_events(
    busy: list[tuple[MatchedEntry, date, date]],
    reported: ReportedEvent,
    submission: Submission | None,
) -> defaultdict[int, list[tuple[date, date, _OtherEvent]]]:
    """Return the members' days with games in other places.

    One query, and another one if a member played on those days.
    """
    by_player: defaultdict[int, list[tuple[date, date, _OtherEvent]]] = defaultdict(
        list
    )
    if not busy:
        return by_player
    rows = _entries_of_those_days(busy, submission).values_list(
        "pk",
        "player_id",
        "section__starts",
        "section__ends",
        "section__event__name",
        "section__event__city",
        "section__event__state",
    )
    games = _games_of([entry for entry, *_ in rows])
    for entry, player, starts, ends, name, city, state in rows:
        here = (reported.city.casefold(), reported.state)
        if games[entry] > (ends - starts).days and (city.casefold(), state) != here:
            by_player[player].append((starts, ends, _OtherEvent(name, city, state)))
    return by_player


def _entries_of_those_days(
    busy: list[tuple[MatchedEntry, date, date]], submission: Submission | None
) -> QuerySet[Entry]:
    return (
        Entry.objects.filter(
            player__in={seat.player.pk for seat, _starts, _ends in busy},
            section__is_online=False,
            section__ends__gte=min(starts for _seat, starts, _ends in busy),
            section__starts__lte=max(ends for _seat, _starts, ends in busy),
        )
        .exclude(section__event__submission_id=submission.pk if submission else 0)
        .exclude(section__event__city="")
        .order_by("section__starts", "pk")
    )


def _games_of(entries: list[int]) -> Counter[int]:
    """Count the games of entries."""
    games = Game.objects.filter(Q(first__in=entries) | Q(second__in=entries))
    return Counter(chain.from_iterable(games.values_list("first", "second")))


def _two_places(
    reported: ReportedEvent, seat: MatchedEntry, other: _OtherEvent
) -> Finding:
    if reported.state == other.state:
        severity = Severity.NOTE
    elif are_neighbors(reported.state, other.state):
        severity = Severity.CAUTION
    else:
        severity = Severity.CONFIRM
    where = ", ".join(part for part in (other.city, other.state) if part)
    return make_finding(
        "member.two_places",
        seat.place,
        severity=severity,
        name=seat.player.name,
        member_id=seat.player.member_id,
        event=other.event,
        where=where,
    )


# The same event in other files


GameKey = tuple[str, str, int, str]


def _check_other_reports(
    reported: ReportedEvent, ours: Counter[GameKey], submission: Submission | None
) -> Iterator[Finding]:
    """Find a pending report with mostly the same games."""
    if reported.ends is None:
        return
    entries = sum(len(section.entries) for section in reported.sections)
    for other in _waiting(reported.ends, entries, submission) if ours else ():
        theirs = _games_in(ReportedEvent.from_json(other.content or {}))
        if _is_same_event(ours, theirs, fewest=1):
            is_sent = other.state == Submission.State.SUBMITTED
            yield make_finding(
                "event.sent_before",
                Place(field="name"),
                about=other.pk,
                severity=Severity.CONFIRM if is_sent else Severity.CAUTION,
                pk=other.pk,
            )


def _waiting(
    ends: date, entries: int, submission: Submission | None
) -> QuerySet[Submission]:
    State = Submission.State
    waiting = Submission.objects.filter(
        ends=ends, state__in=(State.OPEN, State.SUBMITTED, State.RETURNED)
    )
    # Reports are large and most events end on a Sunday, so a report of a very
    # different size is not read.
    waiting = waiting.filter(
        entry_count__gte=0.5 * entries, entry_count__lte=2 * entries
    )
    if submission is not None and submission.pk:  # only the later report
        waiting = waiting.filter(pk__lt=submission.pk)
    return waiting.order_by("pk")[:MAX_COMPARED]


def _games_in(reported: ReportedEvent) -> Counter[GameKey]:
    """Return the opponents, rounds and results by member ID."""
    return Counter(
        _game_key(section, game)
        for section in reported.sections
        for game in played_games(section)
    )


def _game_key(section: ReportedSection, game: PlayedGame) -> GameKey:
    first, second = section.entry(game.first), section.entry(game.second)
    ids = (first.member_id if first else "", second.member_id if second else "")
    outcomes = (game.first_outcome, game.second_outcome)
    return _in_order(ids, outcomes, game.round_number)


def _in_order(
    ids: tuple[str, str], outcomes: tuple[str, str], round_number: int
) -> GameKey:
    """Return the pair with the lower ID first: the sides depend on pairing numbers."""
    if ids[0] > ids[1]:
        ids, outcomes = ids[::-1], outcomes[::-1]
    return ids[0], ids[1], round_number, "".join(outcomes)


def _is_same_event(
    ours: Counter[GameKey], theirs: Counter[GameKey], *, fewest: int
) -> bool:
    smaller = min(ours.total(), theirs.total())
    shared = (ours & theirs).total()
    return smaller >= fewest and shared >= SAME_GAMES_SHARE * smaller


def _check_other_dates(
    reported: ReportedEvent,
    ours: Counter[GameKey],
    members: dict[str, Player],
    submission: Submission | None,
) -> Iterator[Finding]:
    """Find an accepted event of other days with the same games (one query)."""
    if reported.ends is None or ours.total() < MIN_SAME_GAMES:
        return
    theirs: defaultdict[tuple[str, str], Counter[GameKey]] = defaultdict(Counter)
    for event_id, name, played in _games_near(reported.ends, members, submission):
        theirs[event_id, name][played] += 1
    for (event_id, name), games in sorted(theirs.items()):
        if _is_same_event(ours, games, fewest=MIN_SAME_GAMES):
            yield make_finding(
                "event.same_results",
                Place(field="name"),
                about=event_id,
                name=name,
                event_id=event_id,
            )


def _games_near(
    ends: date, members: dict[str, Player], submission: Submission | None
) -> Iterator[tuple[str, str, GameKey]]:
    """Yield games among these members in events that ended about that day."""
    ids = [player.pk for player in members.values()]
    events = (
        Event.objects.filter(
            ends__range=(ends - SAME_RESULTS_WITHIN, ends + SAME_RESULTS_WITHIN)
        )
        .exclude(ends=ends)  # found by _check_received_before
        .exclude(submission_id=submission.pk if submission else 0)
        .annotate(
            ours=Count(
                "sections__entries", filter=Q(sections__entries__player__in=ids)
            ),
            all=Count("sections__entries"),
        )
        .filter(ours__gte=SAME_GAMES_SHARE * F("all"), ours__gt=0)
        .order_by()
        .values("pk")
    )
    rows = Game.objects.filter(section__event__in=events).values_list(
        "section__event__event_id",
        "section__event__name",
        "first__player__member_id",
        "second__player__member_id",
        "first_outcome",
        "second_outcome",
        "round_number",
    )
    for event_id, name, one, other, outcome, their_outcome, round_number in rows:
        yield (
            event_id,
            name,
            _in_order((one, other), (outcome, their_outcome), round_number),
        )
