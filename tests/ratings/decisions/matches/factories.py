"""Matches as reported and rated."""

from datetime import UTC, date, datetime, timedelta

from events.formats.report import ReportedSection
from events.models import Section
from players.models import Player
from ratings.models import OfficialList, OfficialRating
from tests.factories import (
    event_report,
    make_player,
    make_td,
    rated_event,
    section_report,
)

FIRST = date(2024, 5, 4)
DAY = timedelta(days=1)


def established(rating: float, games: int = 40, **fields) -> Player:
    return make_player(ratings={"OTBR": (rating, games)}, **fields)


def match_report(one: Player, other: Player, results: str, **fields) -> ReportedSection:
    """*results* are those of the first player, such as WDL."""
    mirror = {"W": "L", "L": "W", "D": "D"}
    rows = [
        " ".join(f"{letter}2W" for letter in results),
        " ".join(f"{mirror[letter]}1B" for letter in results),
    ]
    return section_report([one, other], rows, kind_letter="M", **fields)


def rated_match(one: Player, other: Player, results: str, day: date = FIRST) -> Section:
    td = make_td()
    report = event_report(
        td,
        [match_report(one, other, results)],
        starts=day,
        ends=day,
        name=f"Match of {day}",
    )
    return rated_event(td, report).sections.get()


def published(month: date, ratings: dict[Player, int]) -> OfficialList:
    """An official list with these Regular ratings, each on 40 games."""
    moment = datetime(month.year, month.month, month.day, tzinfo=UTC)
    official = OfficialList.objects.create(
        month=month,
        cut_off=moment,
        digest="0" * 64,
        members=len(ratings),
        prepared_at=moment,
        published_at=moment,
        reason="For the test.",
    )
    for place, (player, rating) in enumerate(ratings.items(), start=1):
        line = player.rating_changes.order_by("pk").first()
        OfficialRating.objects.create(
            list=official,
            player=player,
            system="OTBR",
            rating=rating,
            games=40,
            is_provisional=False,
            floor=100,
            place=place,
            above=0,
            change=line,
            latest=line.calculation,
        )
    return official
