"""Foreign events: who is rated by which rule (2025 text, section 6), and results."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from django.conf import settings
from django.db.models import Count, Prefetch, Q, QuerySet
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from events.models import ForeignEvent, ForeignGame, ForeignResult
from players.fide.queries import fide_ratings_on, opted_in_before
from players.models import ExternalRating, Membership, Player
from ratings.engine.foreign import opponents_conversion
from ratings.engine.rules import Rules, rules_in_force
from ratings.ledger.queries.published_ratings import published, published_before
from ratings.ledger.services.foreign_facts import regular_games_before
from ratings.models import Calculation, RatingChange
from ratings_site.common.ui.formatting import format_day

FLAG = "USA"
SOURCE = gettext_lazy("Rating system, section 6")


@dataclass(frozen=True, slots=True)
class Evidence:
    """Facts about a member with regard to one foreign event.

    *lapsed_on* are the days that count on which there was no membership. *games* are
    those of the Regular rating at the event's place in the rating order, None if
    unrated; *fide* is the rating of the list in force on the first day.
    """

    starts: date
    is_active: bool = True
    lapsed_on: tuple[tuple[date, str], ...] = ()
    games: int | None = None
    flag: str = FLAG
    is_resident: bool = True
    fide: int | None = None
    is_opted_in: bool = False
    admitted_because: str = ""


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a member is rated for an event, with the reason or all reasons against.

    *not_established* is the reason that each rerate checks again, empty if it does not
    apply; the others are decided once, when the result is marked ready.
    """

    evidence: Evidence
    because: str
    not_established: str
    one_time_objections: tuple[str, ...]

    @property
    def against(self) -> tuple[str, ...]:
        return tuple(filter(None, (self.not_established, *self.one_time_objections)))

    @property
    def can_be_admitted(self) -> bool:
        """Return whether staff may decide: a US resident with another flag, or none."""
        known = self.evidence
        return known.flag != FLAG and known.is_resident and not known.admitted_because


def assess(known: Evidence, rules: Rules) -> Verdict:
    """Apply the rules of section 6 to the facts about a member."""
    because, against = _inclusion(known, rules)
    return Verdict(
        known,
        because,
        _not_established(known, rules),
        (*_membership(known), *against),
    )


def _membership(known: Evidence) -> list[str]:
    faults = []
    if not known.is_active:
        faults.append(_("Not a current member. Only current members are updated."))
    faults += [
        _("No membership on {day}, {which}. Only current members are updated.").format(
            day=format_day(day), which=which
        )
        for day, which in known.lapsed_on
    ]
    return faults


def _not_established(known: Evidence, rules: Rules) -> str:
    limit = rules.established_after
    if known.games is not None and known.games > limit:
        return ""
    if known.games is None:
        had = _("The member had no Regular rating at this event.")
    else:
        had = ngettext(
            "The Regular rating was provisional at this event: {number} game.",
            "The Regular rating was provisional at this event: {number} games.",
            known.games,
        ).format(number=known.games)
    only = _(
        "Only established ratings are updated: those with more than {limit} games."
    ).format(limit=limit)
    return f"{had} {only}"


def _inclusion(known: Evidence, rules: Rules) -> tuple[str, list[str]]:
    """Return why the member is included, and the reasons against it."""
    against = []
    limit = rules.foreign_automatic_from
    is_strong = known.fide is not None and known.fide >= limit
    # Before the first event abroad there is neither FIDE rating nor flag.
    has_flag = known.flag == FLAG or (not known.flag and known.fide is None)
    if not (has_flag or known.admitted_because):
        against.append(_no_flag(known))
    if is_strong:
        because = _(
            "FIDE {fide}: ratings of {limit} and up are updated automatically."
        ).format(fide=known.fide, limit=limit)
    elif known.is_opted_in:
        because = _("Opted in before the event started.")
    else:
        because = ""
        rated = (
            _("FIDE {fide} is under {limit}").format(fide=known.fide, limit=limit)
            if known.fide
            else _("No FIDE rating")
        )
        against.append(
            _("{rated}, and no opt-in before the event started on {starts}.").format(
                rated=rated, starts=format_day(known.starts)
            )
        )
    if known.admitted_because and not has_flag:
        because = (
            _("{because} US resident, included by the office.")
            .format(because=because)
            .strip()
        )
    return because, against


def _no_flag(known: Evidence) -> str:
    flag = known.flag
    if not known.is_resident:
        if not flag:
            return _(
                "No federation, and the member does not live in the United States."
            )
        return _(
            "Federation {flag}, not USA, and the member does not live in the "
            "United States."
        ).format(flag=flag)
    if not flag:
        return _(
            "No federation. The office must approve including US residents with "
            "no federation."
        )
    return _(
        "Federation {flag}, not USA. The office must approve including US "
        "residents with another federation."
    ).format(flag=flag)


# --- Reading the facts ---


def verdicts(results: Sequence[ForeignResult]) -> dict[int, Verdict]:
    """Judge results that have their event and player loaded.

    Takes three queries, and three for each different first day of an event.
    """
    people = {result.player_id for result in results}
    games = regular_games_before(results)
    memberships = _memberships(people)
    flags, ratings = _fide(results)
    willing = _opted_in(results)
    found = {}
    for result in results:
        event, player = result.event, result.player
        known = Evidence(
            starts=event.starts,
            is_active=player.status == Player.Status.ACTIVE,
            lapsed_on=_lapsed_on(event, memberships[result.player_id]),
            games=games[result.pk],
            flag=flags[result.pk],
            is_resident=player.residence == FLAG,
            fide=ratings[result.pk],
            is_opted_in=result.pk in willing,
            admitted_because=result.admitted_because,
        )
        rules = rules_in_force(event.starts, settings.RATING_EDITION)
        found[result.pk] = assess(known, rules)
    return found


def _lapsed_on(
    event: ForeignEvent, memberships: list[tuple[date, date]]
) -> tuple[tuple[date, str], ...]:
    """Return the days that count on which there was no membership."""
    days = [(event.ends, _("the last day of the event"))]
    if event.rated_list is not None:
        days.append((event.rated_list, _("the date of the FIDE list")))
    return tuple(
        (day, which)
        for day, which in days
        if not any(first <= day <= last for first, last in memberships)
    )


def _memberships(people: set[int]) -> defaultdict[int, list[tuple[date, date]]]:
    """Return the terms of membership, including those of merged numbers."""
    found: defaultdict[int, list[tuple[date, date]]] = defaultdict(list)
    rows = Membership.objects.filter(
        Q(player__in=people) | Q(player__merged_into__in=people)
    ).values_list("player", "player__merged_into", "starts", "expires")
    for player, kept, starts, expires in rows:
        owner = player if kept is None or player in people else kept
        found[owner].append((starts, expires))
    return found


def _by_start(results: Sequence[ForeignResult]) -> dict[date, list[ForeignResult]]:
    groups: defaultdict[date, list[ForeignResult]] = defaultdict(list)
    for result in results:
        groups[result.event.starts].append(result)
    return groups


def _fide(
    results: Sequence[ForeignResult],
) -> tuple[dict[int, str], dict[int, int | None]]:
    """Return flag and FIDE rating on the first day, by result.

    If no stored list has the member, they are those that the office entered.
    """
    flags = {result.pk: result.player.federation for result in results}
    ratings = _entered(results)
    for starts, group in _by_start(results).items():
        ids = {int(one.player.fide_id) for one in group if one.player.fide_id}
        values = fide_ratings_on(ids, starts)
        for result in group:
            value = values.get(int(result.player.fide_id or 0))
            if value is not None:
                ratings[result.pk] = value.rating
                flags[result.pk] = value.federation or flags[result.pk]
    return flags, ratings


def _entered(results: Sequence[ForeignResult]) -> dict[int, int | None]:
    of_player: defaultdict[int, list[ForeignResult]] = defaultdict(list)
    for result in results:
        of_player[result.player_id].append(result)
    entered: dict[int, int | None] = {result.pk: None for result in results}
    rows = ExternalRating.objects.filter(player__in=list(of_player), body="FIDE")
    for row in rows.order_by("list_date"):
        for result in of_player[row.player_id]:
            if row.list_date <= result.event.starts:
                entered[result.pk] = row.rating
    return entered


def _opted_in(results: Sequence[ForeignResult]) -> set[int]:
    """Return the results whose player had opted in before the event began."""
    found = set()
    for starts, group in _by_start(results).items():
        willing = opted_in_before({one.player_id for one in group}, starts)
        found |= {one.pk for one in group if one.player_id in willing}
    return found


@dataclass(frozen=True, slots=True)
class GameRow:
    """A game with its opponent on the US Chess scale; None if it does not count."""

    game: ForeignGame
    converted: float | None


@dataclass(frozen=True, slots=True)
class RatedInputs:
    """The inputs of a foreign rating: days, kind of event and games."""

    starts: date
    ends: date
    is_youth: bool
    games: tuple[ForeignGame, ...]


@dataclass(frozen=True, slots=True)
class ResultRow:
    """A rated result on the page of its event, with published ratings.

    *is_changed* says that games or event were corrected later: a rerate follows.
    """

    result: ForeignResult
    player: Player
    line: RatingChange
    before: float | None
    after: float
    games: tuple[GameRow, ...]
    is_changed: bool
    why_url: str


def converted_games(
    games: Iterable[ForeignGame], rules: Rules, *, is_youth: bool
) -> tuple[GameRow, ...]:
    """Return games with converted opponents, in the order of rounds."""
    conversion = opponents_conversion(rules, youth=is_youth)
    return tuple(
        GameRow(
            game,
            None
            if game.opponent_rating is None
            else conversion.us_rating(game.opponent_rating),
        )
        for game in sorted(games, key=lambda game: game.round_number)
    )


def rated_inputs(calculation: Calculation, result: ForeignResult) -> RatedInputs:
    """Return the inputs of the calculation, from before any later correction.

    A version holds the data that were current until it was replaced.
    """
    later = [
        version
        for version in result.versions.all()
        if version.replaced_at > calculation.created_at
    ]
    if not later:
        event = result.event
        return RatedInputs(
            event.starts, event.ends, event.is_youth, tuple(result.games.all())
        )
    content = min(later, key=lambda version: version.number).content
    return RatedInputs(
        starts=date.fromisoformat(content["starts"]),
        ends=date.fromisoformat(content["ends"]),
        is_youth=content["is_youth"],
        games=tuple(
            ForeignGame(result=result, **_normalize_game_keys(game))
            for game in content["games"]
        ),
    )


def _normalize_game_keys(game: dict[str, Any]) -> dict[str, Any]:
    """Rename keys of stored games: old versions have "colour"."""
    return {"color" if name == "colour" else name: game[name] for name in game}


def rated_events() -> QuerySet[ForeignEvent]:
    """Return the events with rated results, and how many there are."""
    return (
        ForeignEvent.objects.annotate(
            rated_count=Count(
                "results", filter=Q(results__calculations__is_current=True)
            )
        )
        .filter(rated_count__gt=0)
        .order_by("-ends", "-pk")
    )


def results_of(event: ForeignEvent) -> list[ResultRow]:
    """Return the rated results of an event (five queries for any number)."""
    results = (
        ForeignResult.objects.filter(event=event, calculations__is_current=True)
        .select_related("player__merged_into", "event")
        .prefetch_related(
            "games",
            "versions",
            Prefetch(
                "calculations",
                Calculation.objects.filter(is_current=True).prefetch_related("changes"),
                to_attr="current",
            ),
        )
        .order_by("player__private_id", "player__search_name", "pk")
    )
    return [_shown(result, result.current[0]) for result in results]


def _shown(result: ForeignResult, calculation: Calculation) -> ResultRow:
    played = rated_inputs(calculation, result)
    player = result.player.canonical
    line = calculation.changes.all()[0]
    rules = rules_in_force(calculation.rules_day, calculation.edition)
    versions = result.versions.all()
    return ResultRow(
        result=result,
        player=player,
        line=line,
        before=published_before(line),
        after=published(line),
        games=converted_games(played.games, rules, is_youth=played.is_youth),
        is_changed=any(one.replaced_at > calculation.created_at for one in versions)
        or result.status != ForeignResult.Status.RATED,
        why_url=reverse(
            "ratings:foreign_why", args=[result.event_id, player.member_id]
        ),
    )


def current_calculation(event_id: int, player: Player) -> Calculation | None:
    """Return the member's calculation for the event, with line, games and versions."""
    return (
        Calculation.objects.filter(
            Q(foreign__player=player) | Q(foreign__player__merged_into=player),
            foreign__event__pk=event_id,
            is_current=True,
        )
        .select_related("foreign__event", "foreign__player")
        .prefetch_related("changes", "foreign__games", "foreign__versions")
        .first()
    )
