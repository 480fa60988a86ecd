"""Who is told what about ratings: readers of the books that make news of them."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from typing import Any

from django.db.models import Max, Q
from django.urls import reverse
from django.utils.translation import gettext_lazy

from events.models import Entry, Section
from players.guardians.queries import Readers, heard_of, news_for, readers_of
from players.models import Player
from ratings.engine.classes import RatingClass, class_of
from ratings.engine.floors import peak_floor
from ratings.engine.numbers import official
from ratings.engine.systems import System
from ratings.ledger.queries.published import (
    official_number,
    published,
    published_before,
    published_difference,
)
from ratings.ledger.services.lines import rules_of
from ratings.models import (
    Calculation,
    OfficialList,
    OfficialRating,
    RatingChange,
    RerateMark,
    Run,
)
from ratings.notices import texts
from ratings_site.common.notices.services import Kind, News, register

RATED = register(
    Kind(
        "ratings.rated",
        gettext_lazy("Events you played"),
        gettext_lazy("An event was rated, and what it did to your rating."),
        about_link=gettext_lazy("The link leads through every step of the reckoning."),
    )
)
RERATED = register(
    Kind(
        "ratings.rerated",
        gettext_lazy("Rerates"),
        gettext_lazy("A rerate changed your rating, and why."),
    )
)
REACHED = register(
    Kind(
        "ratings.reached",
        gettext_lazy("Classes and floors"),
        gettext_lazy("You reached a class for the first time, or a new floor."),
    )
)
LISTED = register(
    Kind(
        "ratings.listed",
        gettext_lazy("Official lists"),
        gettext_lazy("The list of the month is out, with your ratings on it."),
        by_mail=False,
    )
)


# The systems in the order in which people name them.
PLACES = {str(system): place for place, system in enumerate(System)}


def with_readers(sections: Collection[Section]) -> list[int]:
    """Return the sections in which a player is whom any account is told of."""
    told = heard_of()
    theirs = Q(player__in=told) | Q(player__merged_into__in=told)
    entries = Entry.objects.filter(theirs, section__in=sections).order_by("section")
    return list(entries.values_list("section", flat=True).distinct())


# A section that was rated


def news_of_section(section: Section) -> Iterator[News]:
    """Tell who is told of each player what the section did (six queries)."""
    current = Calculation.objects.filter(section=section, is_current=True)
    calculations = {calculation.pk: calculation for calculation in current}
    lines = RatingChange.objects.filter(
        calculation__among=calculations, player__in=heard_of()
    ).select_related("player")
    by_player: defaultdict[Player, list[RatingChange]] = defaultdict(list)
    for line in lines.order_by("player"):
        line.calculation = calculations[line.calculation_id]
        by_player[line.player].append(line)
    best = _best_before(by_player, calculations)
    readers = readers_of([player.pk for player in by_player])
    for player, own in by_player.items():
        own.sort(key=lambda line: PLACES[line.calculation.system])
        yield from _rated(section, player, own, readers)
        for line in own:
            yield from _reached(section, player, line, best, readers)


def _rated(
    section: Section, player: Player, lines: list[RatingChange], readers: Readers
) -> Iterator[News]:
    event = section.event.name
    steps = [_step(line) for line in lines]
    return news_for(
        readers[player.pk],
        RATED,
        f"rated:{section.pk}",
        _why(section, player, steps[0].system),
        lambda: texts.rated(event, steps),
        member=player.pk,
    )


def _step(line: RatingChange) -> texts.Step:
    return texts.Step(
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
    """Return the highest rating of each player before, in each system."""
    earlier = RatingChange.objects.filter(
        player__among=[player.pk for player in players],
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
    readers: Readers,
) -> Iterator[News]:
    """Tell of a class reached for the first time, and of a floor that is new."""
    system, event = System(line.calculation.system), section.event.name
    told, url = readers[player.pk], _why(section, player, system)
    reached = new_class(best.get((player.pk, system)), line)
    if reached is not None:
        key = f"class:{system}:{reached.short}"
        yield from news_for(
            told,
            REACHED,
            key,
            url,
            lambda: texts.class_reached(system, reached, event),
            member=player.pk,
        )
    floor = new_floor(line)
    if floor is not None:
        floors = reverse("ratings:floors", args=[player.member_id])
        key = f"floor:{system}:{floor}"
        yield from news_for(
            told,
            REACHED,
            key,
            floors,
            lambda: texts.floor_reached(system, floor, event),
            member=player.pk,
        )


def new_class(best: float | None, line: RatingChange) -> RatingClass | None:
    """Return the class an established rating reaches, if none before was in it."""
    if best is None or line.peak is None:
        return None
    reached = class_of(official(line.post_rating))
    return reached if official(best) < reached.lowest else None


def new_floor(line: RatingChange) -> int | None:
    """Return the floor that follows from a new peak, if it is higher than before."""
    floor = peak_floor(line.peak, rules_of(line.calculation.rules_day))
    return floor if floor is not None and floor > (line.floor_given or 0) else None


# A rerate


def readers_of_rerate(run: Run) -> list[int]:
    """Return the members of whom an account is told and whose rating has changed."""
    rows = run.differences.filter(player__in=heard_of()).order_by("player")
    return list(rows.values_list("player", flat=True).distinct())


def news_of_rerate(run: Run, players: Collection[int]) -> Iterator[News]:
    """Tell of these members what a rerate did, and why (six queries).

    Causes are those about a member or their sections; failing that, those that name no
    member, for what happened to somebody else is not for everybody's mailbox.
    """
    causes, readers = _causes(run, players), readers_of(players)
    for player, moves in _moves(run, players):
        yield from news_for(
            readers[player.pk],
            RERATED,
            f"rerate:{run.pk}",
            reverse("ratings:rerate_player", args=[run.pk, player.member_id]),
            lambda moves=moves, why=causes[player.pk]: texts.rerated(moves, why),
            member=player.pk,
        )


def news_of_undone(run: Run, players: Collection[int]) -> Iterator[News]:
    """Tell of these members that what a rerate did to them was taken back."""
    readers = readers_of(players)
    for player, moves in _moves(run, players):
        yield from news_for(
            readers[player.pk],
            RERATED,
            f"undone:{run.pk}",
            reverse("ratings:profile", args=[player.member_id]),
            lambda moves=moves: texts.rerate_undone(moves),
            member=player.pk,
        )


def _in_order(rows: Iterable[Any]) -> list[Any]:
    return sorted(rows, key=lambda row: (row.player_id, PLACES[row.system]))


def _moves(
    run: Run, players: Collection[int]
) -> Iterable[tuple[Player, list[texts.Move]]]:
    moved: defaultdict[Player, list[texts.Move]] = defaultdict(list)
    rows = run.differences.filter(player__among=players).select_related("player")
    for row in _in_order(rows):
        move = texts.Move(System(row.system), *published_difference(row))
        moved[row.player].append(move)
    return moved.items()


def _causes(run: Run, players: Collection[int]) -> defaultdict[int, list[str]]:
    marks = list(run.marks.order_by("from_day", "pk"))
    own = _own_causes(marks, players)
    common = [mark.note for mark in marks if mark.player_id is None]
    return defaultdict(lambda: common, own)


def _own_causes(
    marks: Collection[RerateMark], players: Collection[int]
) -> dict[int, list[str]]:
    sections = {mark.section_id for mark in marks if mark.section_id}
    entries = Entry.objects.filter(section__among=sections, player__among=players)
    played: defaultdict[int, set[int]] = defaultdict(set)
    for section, player in entries.values_list("section", "player"):
        played[section].add(player)
    wanted = set(players)
    own: dict[int, list[str]] = {}
    for mark in marks:
        concerned = {mark.player_id} & wanted | played.get(mark.section_id, set())
        for player in concerned:
            own.setdefault(player, []).append(mark.note)
    return own


# An official list


def readers_of_list(official_list: OfficialList) -> list[int]:
    """Return the members on a list of whom an account is told."""
    rows = official_list.ratings.filter(player__in=heard_of())
    return list(rows.order_by("player").values_list("player", flat=True).distinct())


def news_of_list(
    official_list: OfficialList, players: Collection[int]
) -> Iterator[News]:
    """Tell of these members the ratings on a list, and on the one before."""
    before = _on_list_before(official_list, players)
    readers = readers_of(players)
    on_it: defaultdict[Player, list[texts.Listed]] = defaultdict(list)
    rows = official_list.ratings.filter(player__among=players).select_related("player")
    for row in _in_order(rows):
        earlier = before.get((row.player_id, row.system))
        listed = texts.Listed(System(row.system), official_number(row), earlier)
        on_it[row.player].append(listed)
    for player, ratings in on_it.items():
        yield from news_for(
            readers[player.pk],
            LISTED,
            f"list:{official_list.slug}",
            reverse("ratings:player_lists", args=[player.member_id]),
            lambda ratings=ratings: texts.listed(official_list.name, ratings),
            member=player.pk,
        )


def _on_list_before(
    official_list: OfficialList, players: Collection[int]
) -> dict[tuple[int, str], float]:
    before = OfficialList.objects.filter(month__lt=official_list.month).first()
    rows = OfficialRating.objects.filter(list=before, player__among=players)
    return {(row.player_id, row.system): official_number(row) for row in rows}
