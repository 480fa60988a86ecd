"""FIDE lists, files and foreign events for tests."""

from datetime import date

from django.contrib.auth.models import Permission

from events.foreign.services.results import Facts, enter_event, enter_result
from events.formats.foreign.report import ReportedForeignGame
from events.models import ForeignEvent, ForeignResult
from players.models import FideList, FideRating, Player
from ratings_site.common.models import User
from tests.factories import make_staff

STARTS, ENDS = date(2024, 5, 4), date(2024, 5, 12)
LIST = date(2024, 5, 1)


def foreign_staff() -> User:
    """Return a staff account that may rate foreign events."""
    user = make_staff()
    user.user_permissions.add(Permission.objects.get(codename="rate_foreign"))
    return User.objects.get(pk=user.pk)


def store_list(
    values: dict[int, tuple[int | None, int, str]],
    *,
    day: date = LIST,
    state: str = "current",
) -> FideList:
    """Create a list; *values* maps a FIDE ID to rating, games and federation."""
    FideList.objects.filter(state="current").update(state="stored")
    fide_list = FideList.objects.create(
        list_date=day,
        state=state,
        file_name="list.txt",
        stored_as="fide/list.txt",
        sha256="0" * 64,
        size=1,
    )
    FideRating.objects.bulk_create(
        FideRating(
            fide_id=fide_id,
            list=fide_list,
            rating=rating,
            games=games,
            federation=federation,
        )
        for fide_id, (rating, games, federation) in values.items()
    )
    return fide_list


def facts(**changes: object) -> Facts:
    given = {
        "name": "Paris Open",
        "federation": "FRA",
        "city": "Paris",
        "starts": STARTS,
        "ends": ENDS,
    }
    return Facts(**{**given, **changes})


def make_event(actor: User, **changes: object) -> ForeignEvent:
    event, _ = enter_event(actor=actor, facts=facts(**changes))
    return event


def game(
    round_number: int,
    half_points: int,
    *,
    fide_id: str = "",
    name: str = "",
    rating: int | None = None,
    color: str = "W",
) -> ReportedForeignGame:
    return ReportedForeignGame(
        round_number=round_number,
        opponent_name=name or f"Opponent {round_number}",
        opponent_fide_id=fide_id,
        opponent_federation="FRA",
        stated_rating=rating,
        color=color,
        half_points=half_points,
    )


def make_result(
    actor: User,
    player: Player,
    results: list[tuple[int | None, int]],
    *,
    event: ForeignEvent | None = None,
    **changes: object,
) -> ForeignResult:
    """Create a member's games; *results* are opponents' ratings and half points."""
    event = event or make_event(actor, **changes)
    games = [
        game(number, score, rating=rating)
        for number, (rating, score) in enumerate(results, start=1)
    ]
    return enter_result(actor=actor, event_id=event.pk, player=player, games=games)
