"""Checks of whether a report can be true: days, places, colors, double reports.

What needs the clock of a time control is checked by those who read it
(``events.books.rater``). Sentences stay in one language: a TD's word stands for the
sentence it answers.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import chain

from django.db.models import Count, F, Q, QuerySet
from django.utils import timezone

from events.checks.likeness import are_neighbors
from events.checks.queries.identity import Seat, seats_of
from events.importers.findings import Finding, Place, Severity, found
from events.importers.outcomes import OTHER_COLOR
from events.importers.played import PlayedGame, played_games
from events.importers.records import ReportedEvent, ReportedSection
from events.importers.sentences import say_day
from events.models import Entry, Event, Game, Submission
from players.models import Player

# A year mistyped in January is the commonest wrong date: it makes an event this old.
OLD = timedelta(days=300)
# The same games so near in time are one event under two dates.
SAME_RESULTS_WITHIN = timedelta(days=62)
# So many reports of the same day are read to find a report sent twice.
MOST_COMPARED = 50
# Four players who meet every week often repeat six results, hardly ever twelve.
FEWEST_SAME_GAMES = 12
SAME_GAMES_SHARE = 0.8
# No program pairs so unless it must; players and arbiters agree to it at times.
MOST_IN_A_ROW = 2
MOST_COLORS_APART = 2
# Colors are nobody's choice in these types: a plan or the players decide.
COLORS_FOLLOW_A_RULE = frozenset({"S"})
# Who sees a longer list reads none of it.
MOST_NAMED = 8


def check_plausibility(
    reported: ReportedEvent,
    members: dict[str, Player],
    *,
    submission: Submission | None = None,
) -> Iterator[Finding]:
    """Find what can hardly be true of these days, places and games."""
    yield from _check_age(reported)
    yield from _check_colors(reported)
    yield from _check_two_places(reported, members, submission)
    ours = _games_in(reported)
    yield from _check_other_reports(reported, ours, submission)
    yield from _check_other_dates(reported, ours, members, submission)


def _check_age(reported: ReportedEvent) -> Iterator[Finding]:
    if reported.ends and timezone.localdate() - reported.ends > OLD:
        yield found("event.old", Place(field="ends"), ends=say_day(reported.ends))


# Colors


def _check_colors(reported: ReportedEvent) -> Iterator[Finding]:
    """Note whose colors no pairing program gives, in one line for a section."""
    for section in reported.sections:
        if section.kind_letter not in COLORS_FOLLOW_A_RULE:
            continue
        odd = sorted(_oddly_colored(section))
        if odd:
            more = len(odd) - MOST_NAMED
            yield found(
                "section.colors_unusual" + ("/more" if more > 0 else ""),
                Place(section=section.number),
                named=", ".join(str(number) for number in odd[:MOST_NAMED]),
                more=more,
            )


def _oddly_colored(section: ReportedSection) -> Iterator[int]:
    if section.uses_double_codes:
        return
    colors: defaultdict[int, list[str]] = defaultdict(list)
    for game in sorted(played_games(section), key=lambda game: game.round_number):
        colors[game.first].append(game.first_color)
        colors[game.second].append(OTHER_COLOR[game.first_color])
    for number, held in colors.items():
        if "" not in held and _is_odd(held):
            yield number


def _is_odd(colors: list[str]) -> bool:
    """Tell whether a player had one color too often, in a row or altogether.

    >>> _is_odd(list("WBWBW")), _is_odd(list("WWW")), _is_odd(list("WWBWWBW"))
    (False, True, True)
    """
    held = Counter(colors)
    in_a_row = MOST_IN_A_ROW + 1
    return abs(held["W"] - held["B"]) > MOST_COLORS_APART or any(
        len(set(colors[at : at + in_a_row])) == 1
        for at in range(len(colors) - MOST_IN_A_ROW)
    )


# The same person in two places at once


@dataclass(frozen=True, slots=True)
class _Elsewhere:
    """A member's games of the same days in another event of the books."""

    event: str
    city: str
    state: str


def _check_two_places(
    reported: ReportedEvent, members: dict[str, Player], submission: Submission | None
) -> Iterator[Finding]:
    """Find members who played elsewhere, every day, while this event was on.

    A club's month of Tuesdays leaves time for a weekend in another state, so only
    those count who had a game on each day, here and there.
    """
    if not reported.city or reported.starts is None or reported.ends is None:
        return
    busy = list(_busy(reported, seats_of(reported, members)))
    elsewhere = _elsewhere(busy, reported, submission)
    for seat, starts, ends in busy:
        for begins, stops, other in elsewhere[seat.player.pk]:
            if starts <= stops and begins <= ends:
                yield _two_places(reported, seat, other)
                break


def _busy(
    reported: ReportedEvent, seats: Iterable[Seat]
) -> Iterator[tuple[Seat, date, date]]:
    """Yield who had a game over the board on each day of a section, and the days."""
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


def _elsewhere(
    busy: list[tuple[Seat, date, date]],
    reported: ReportedEvent,
    submission: Submission | None,
) -> defaultdict[int, list[tuple[date, date, _Elsewhere]]]:
    """Return by member the busy days in other places.

    It takes one query, and another one if somebody played on those days.
    """
    found: defaultdict[int, list[tuple[date, date, _Elsewhere]]] = defaultdict(list)
    if not busy:
        return found
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
            found[player].append((starts, ends, _Elsewhere(name, city, state)))
    return found


def _entries_of_those_days(
    busy: list[tuple[Seat, date, date]], submission: Submission | None
) -> QuerySet[Entry]:
    return (
        Entry.objects.filter(
            player__in={seat.player.pk for seat, _starts, _ends in busy},
            section__is_online=False,
            section__ends__gte=min(starts for _seat, starts, _ends in busy),
            section__starts__lte=max(ends for _seat, _starts, ends in busy),
        )
        .exclude(section__event__submission_id=submission.pk if submission else None)
        .exclude(section__event__city="")
        .order_by("section__starts", "pk")
    )


def _games_of(entries: list[int]) -> Counter[int]:
    """Count the games of entries."""
    if not entries:
        return Counter()
    games = Game.objects.filter(Q(first__in=entries) | Q(second__in=entries))
    return Counter(chain.from_iterable(games.values_list("first", "second")))


def _two_places(reported: ReportedEvent, seat: Seat, other: _Elsewhere) -> Finding:
    if reported.state == other.state:
        severity = Severity.NOTE
    elif are_neighbors(reported.state, other.state):
        severity = Severity.CAUTION
    else:
        severity = Severity.CONFIRM
    where = ", ".join(part for part in (other.city, other.state) if part)
    return found(
        "member.two_places",
        seat.place,
        severity=severity,
        name=seat.player.name,
        member_id=seat.player.member_id,
        event=other.event,
        where=where,
    )


# The same event under other files


Played = tuple[str, str, int, str]


def _check_other_reports(
    reported: ReportedEvent, ours: Counter[Played], submission: Submission | None
) -> Iterator[Finding]:
    """Find a report that waits already and has mostly the same games."""
    if reported.ends is None:
        return
    entries = sum(len(section.entries) for section in reported.sections)
    for other in _waiting(reported.ends, entries, submission) if ours else ():
        theirs = _games_in(ReportedEvent.from_json(other.content or {}))
        if _are_the_same(ours, theirs, fewest=1):
            is_sent = other.state == Submission.State.SUBMITTED
            yield found(
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
    # Reports are large, and most events end on a Sunday: what has far fewer or far
    # more entries is another event and need not be read.
    waiting = waiting.filter(
        entry_count__gte=0.5 * entries, entry_count__lte=2 * entries
    )
    if submission is not None and submission.pk:  # the later of two says so, not both
        waiting = waiting.filter(pk__lt=submission.pk)
    return waiting.order_by("pk")[:MOST_COMPARED]


def _games_in(reported: ReportedEvent) -> Counter[Played]:
    """Return who met whom in which round and how it ended, by member IDs."""
    return Counter(
        _played(section, game)
        for section in reported.sections
        for game in played_games(section)
    )


def _played(section: ReportedSection, game: PlayedGame) -> Played:
    first, second = section.entry(game.first), section.entry(game.second)
    ids = (first.member_id if first else "", second.member_id if second else "")
    outcomes = (game.first_outcome, game.second_outcome)
    return _in_order(ids, outcomes, game.round_number)


def _in_order(
    ids: tuple[str, str], outcomes: tuple[str, str], round_number: int
) -> Played:
    """Put the lower ID first: who is on which side is a matter of pairing numbers."""
    if ids[0] > ids[1]:
        ids, outcomes = ids[::-1], outcomes[::-1]
    return ids[0], ids[1], round_number, "".join(outcomes)


def _are_the_same(
    ours: Counter[Played], theirs: Counter[Played], *, fewest: int
) -> bool:
    smaller = min(ours.total(), theirs.total())
    shared = (ours & theirs).total()
    return smaller >= fewest and shared >= SAME_GAMES_SHARE * smaller


def _check_other_dates(
    reported: ReportedEvent,
    ours: Counter[Played],
    members: dict[str, Player],
    submission: Submission | None,
) -> Iterator[Finding]:
    """Find an accepted event of other days with the very same games (one query)."""
    if reported.ends is None or ours.total() < FEWEST_SAME_GAMES:
        return
    theirs: defaultdict[tuple[str, str], Counter[Played]] = defaultdict(Counter)
    for event_id, name, played in _games_near(reported.ends, members, submission):
        theirs[event_id, name][played] += 1
    for (event_id, name), games in sorted(theirs.items()):
        if _are_the_same(ours, games, fewest=FEWEST_SAME_GAMES):
            yield found(
                "event.same_results",
                Place(field="name"),
                about=event_id,
                name=name,
                event_id=event_id,
            )


def _games_near(
    ends: date, members: dict[str, Player], submission: Submission | None
) -> Iterator[tuple[str, str, Played]]:
    """Yield the games among these members in events that ended about that day."""
    ids = [player.pk for player in members.values()]
    events = (
        Event.objects.filter(
            ends__range=(ends - SAME_RESULTS_WITHIN, ends + SAME_RESULTS_WITHIN)
        )
        .exclude(ends=ends)  # said where players are compared
        .exclude(submission_id=submission.pk if submission else None)
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
