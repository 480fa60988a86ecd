"""The notices about ratings and their recipients."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from functools import partial
from typing import Any

from django.db.models import Max, Q
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from events.models import Entry, Section
from players.guardians.queries import (
    Recipients,
    members_with_recipients,
    notice_recipients,
    notices_for,
)
from players.models import Player
from players.sharing.queries import followed_members, followers_of
from ratings.engine.classes import RatingClass, rating_class_for
from ratings.engine.floors import peak_floor
from ratings.engine.numbers import official
from ratings.engine.systems import System
from ratings.ledger.queries.published_ratings import (
    official_number,
    published,
    published_before,
    published_difference,
)
from ratings.ledger.services.ledger_lines import rules_for_day
from ratings.models import (
    Calculation,
    OfficialList,
    OfficialRating,
    RatingChange,
    RerateMark,
    Run,
)
from ratings.notices import messages
from ratings_site.common.notices.services import NoticeDraft, register

RATED = register(
    "ratings.rated",
    _("Events you played"),
    _("One of your events was rated: your rating before and after."),
    about_link=_("See how your rating was calculated:"),
)
RERATED = register(
    "ratings.rerated",
    _("Rerates"),
    _("A rerate changed your rating, with the reason."),
)
FOLLOWED = register(
    "ratings.followed",
    _("Players you follow"),
    _("A player you follow was rated: rating before and after."),
    about_link=_("See how the rating was calculated:"),
)
REACHED = register(
    "ratings.reached",
    _("Classes and floors"),
    _("You reached a new rating class or rating floor."),
)
LISTED = register(
    "ratings.listed",
    _("Official rating lists"),
    _("The official rating list of the month is out, with your ratings."),
    by_mail=False,
)


# The systems in their usual order.
PLACES = {str(system): place for place, system in enumerate(System)}


def sections_with_recipients(sections: Collection[Section]) -> list[int]:
    """Return the sections with a player about whom an account is notified."""
    recipients = members_with_recipients() | followed_members()
    theirs = Q(player__in=recipients) | Q(player__merged_into__in=recipients)
    entries = Entry.objects.filter(theirs, section__in=sections).order_by("section")
    return list(entries.values_list("section", flat=True).distinct())


# A section that was rated


def news_of_section(section: Section) -> Iterator[NoticeDraft]:
    """Yield the notices about a rated section (nine queries, for any number).

    Its players get them, and the accounts that follow a player.
    """
    current = Calculation.objects.filter(section=section, is_current=True)
    calculations = {calculation.pk: calculation for calculation in current}
    lines = RatingChange.objects.filter(
        calculation__in_array=calculations,
        player__in=members_with_recipients() | followed_members(),
    ).select_related("player")
    by_player: defaultdict[Player, list[RatingChange]] = defaultdict(list)
    for line in lines.order_by("player"):
        line.calculation = calculations[line.calculation_id]
        by_player[line.player].append(line)
    best = _best_before(by_player, calculations)
    readers = notice_recipients([player.pk for player in by_player])
    followers = followers_of([player.pk for player in by_player])
    for player, own in by_player.items():
        own.sort(key=lambda line: PLACES[line.calculation.system])
        yield from _rated(section, player, own, readers)
        linked = {reader.account for reader in readers[player.pk]}
        for account in sorted(followers.get(player.pk, set()) - linked):
            yield NoticeDraft(
                FOLLOWED,
                account,
                f"followed:{section.pk}:{player.pk}",
                _why(section, player, System(own[0].calculation.system)),
                partial(
                    messages.followed,
                    player.public_name,
                    section.event.name,
                    _steps(own),
                ),
            )
        for line in own:
            yield from _reached(section, player, line, best, readers)


def _rated(
    section: Section, player: Player, lines: list[RatingChange], readers: Recipients
) -> Iterator[NoticeDraft]:
    steps = _steps(lines)
    return notices_for(
        readers[player.pk],
        RATED,
        f"rated:{section.pk}",
        _why(section, player, steps[0].system),
        partial(messages.rated, section.event.name, steps),
        member=player.pk,
    )


def _steps(lines: Iterable[RatingChange]) -> list[messages.Step]:
    return [_step(line) for line in lines]


def _step(line: RatingChange) -> messages.Step:
    return messages.Step(
        System(line.calculation.system),
        published_before(line),
        published(line),
        line.half_points,
        line.games,
        line.expected,
    )


def _why(section: Section, player: Player, system: System) -> str:
    where = [section.event.event_id, section.number, player.member_id, system]
    return reverse("ratings:why", args=where)


def _best_before(
    players: Collection[Player], calculations: dict[int, Calculation]
) -> dict[tuple[int, str], float]:
    """Return the highest earlier rating of each player, in each system."""
    earlier = RatingChange.objects.filter(
        player__in_array=[player.pk for player in players],
        calculation__is_current=True,
        calculation__system__in={one.system for one in calculations.values()},
    ).exclude(calculation__in=list(calculations))
    best = earlier.order_by().values_list("player", "calculation__system")
    return {
        (player, system): highest
        for player, system, highest in best.annotate(highest=Max("post_rating"))
    }


def _reached(
    section: Section,
    player: Player,
    line: RatingChange,
    best: dict[tuple[int, str], float],
    readers: Recipients,
) -> Iterator[NoticeDraft]:
    """Yield the notices about a class reached for the first time, and a new floor."""
    system, event = System(line.calculation.system), section.event.name
    reached = new_class(best.get((player.pk, system)), line)
    if reached is not None:
        yield from notices_for(
            readers[player.pk],
            REACHED,
            f"class:{system}:{reached.short}",
            _why(section, player, system),
            partial(messages.class_reached, system, reached, event),
            member=player.pk,
        )
    floor = new_floor(line)
    if floor is not None:
        yield from notices_for(
            readers[player.pk],
            REACHED,
            f"floor:{system}:{floor}",
            reverse("ratings:floors", args=[player.member_id]),
            partial(messages.floor_reached, system, floor, event),
            member=player.pk,
        )


def new_class(best: float | None, line: RatingChange) -> RatingClass | None:
    """Return the class of an established rating, if no earlier rating was in it."""
    if best is None or line.peak is None:
        return None
    reached = rating_class_for(official(line.post_rating))
    return reached if official(best) < reached.lowest else None


def new_floor(line: RatingChange) -> int | None:
    """Return the floor of a new peak, if it is higher than before."""
    floor = peak_floor(line.peak, rules_for_day(line.calculation.rules_day))
    return floor if floor is not None and floor > (line.floor_given or 0) else None


# A rerate


def readers_of_rerate(run: Run) -> list[int]:
    """Return the members with a changed rating and an account to notify."""
    rows = run.differences.filter(player__in=members_with_recipients()).order_by(
        "player"
    )
    return list(rows.values_list("player", flat=True).distinct())


def news_of_rerate(run: Run, players: Collection[int]) -> Iterator[NoticeDraft]:
    """Yield the notices about a rerate and its causes (six queries).

    The causes are those about the member or the member's sections, or else those about
    no member: changes to another member are private.
    """
    causes, readers = _causes(run, players), notice_recipients(players)
    for player, moves in _moves(run, players):
        yield from notices_for(
            readers[player.pk],
            RERATED,
            f"rerate:{run.pk}",
            reverse("ratings:rerate_player", args=[run.pk, player.member_id]),
            partial(messages.rerated, moves, causes[player.pk]),
            member=player.pk,
        )


def news_of_undone(run: Run, players: Collection[int]) -> Iterator[NoticeDraft]:
    """Yield the notices about an undone rerate to these members."""
    readers = notice_recipients(players)
    for player, moves in _moves(run, players):
        yield from notices_for(
            readers[player.pk],
            RERATED,
            f"undone:{run.pk}",
            reverse("ratings:profile", args=[player.member_id]),
            partial(messages.rerate_undone, moves),
            member=player.pk,
        )


def _in_order(rows: Iterable[Any]) -> list[Any]:
    return sorted(rows, key=lambda row: (row.player_id, PLACES[row.system]))


def _moves(
    run: Run, players: Collection[int]
) -> Iterable[tuple[Player, list[messages.Move]]]:
    moved: defaultdict[Player, list[messages.Move]] = defaultdict(list)
    rows = run.differences.filter(player__in_array=players).select_related("player")
    for row in _in_order(rows):
        move = messages.Move(System(row.system), *published_difference(row))
        moved[row.player].append(move)
    return moved.items()


def _causes(run: Run, players: Collection[int]) -> defaultdict[int, list[RerateMark]]:
    marks = list(run.marks.select_related("player").order_by("from_day", "pk"))
    own = _own_causes(marks, players)
    common = [mark for mark in marks if mark.player_id is None]
    return defaultdict(lambda: common, own)


def _own_causes(
    marks: Collection[RerateMark], players: Collection[int]
) -> dict[int, list[RerateMark]]:
    sections = {mark.section_id for mark in marks if mark.section_id}
    entries = Entry.objects.filter(section__in_array=sections, player__in_array=players)
    played: defaultdict[int, set[int]] = defaultdict(set)
    for section, player in entries.values_list("section", "player"):
        played[section].add(player)
    wanted = set(players)
    own: dict[int, list[RerateMark]] = {}
    for mark in marks:
        concerned = wanted & {mark.player_id} | played.get(mark.section_id or 0, set())
        for player in concerned:
            own.setdefault(player, []).append(mark)
    return own


# An official list


def readers_of_list(official_list: OfficialList) -> list[int]:
    """Return the members on a list with an account to notify."""
    rows = official_list.ratings.filter(player__in=members_with_recipients())
    return list(rows.order_by("player").values_list("player", flat=True).distinct())


def news_of_list(
    official_list: OfficialList, players: Collection[int]
) -> Iterator[NoticeDraft]:
    """Yield the notices about a list, with the ratings on it and on the one before."""
    before = _on_list_before(official_list, players)
    readers = notice_recipients(players)
    by_player: defaultdict[Player, list[messages.ListRating]] = defaultdict(list)
    rows = official_list.ratings.filter(player__in_array=players).select_related(
        "player"
    )
    for row in _in_order(rows):
        earlier = before.get((row.player_id, row.system))
        listed = messages.ListRating(System(row.system), official_number(row), earlier)
        by_player[row.player].append(listed)
    for player, ratings in by_player.items():
        yield from notices_for(
            readers[player.pk],
            LISTED,
            f"list:{official_list.key}",
            reverse("ratings:player_lists", args=[player.member_id]),
            partial(messages.listed, official_list.name, ratings),
            member=player.pk,
        )


def _on_list_before(
    official_list: OfficialList, players: Collection[int]
) -> dict[tuple[int, str], float]:
    """Return their ratings on the list before, or on the one that it withdraws."""
    withdrawn = Q(month=official_list.month, correction__lt=official_list.correction)
    earlier = Q(month__lt=official_list.month) | withdrawn
    before = OfficialList.objects.filter(earlier).first()
    rows = OfficialRating.objects.filter(list=before, player__in_array=players)
    return {(row.player_id, row.system): official_number(row) for row in rows}
