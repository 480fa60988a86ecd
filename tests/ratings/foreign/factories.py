"""Members who are rated in foreign events automatically."""

from events.models import ForeignResult
from players.models import Player
from ratings.foreign.services import mark_ready, rate_if_eligible
from ratings_site.common.models import User
from tests.events.foreign.factories import make_result, store_list
from tests.factories import make_player

FIRST_ID = 2_000_000


def list_with_masters():
    """The FIDE list of May 2024: FIDE 2400, nine games and the flag for each."""
    return store_list({FIRST_ID + number: (2400, 9, "USA") for number in range(60)})


def master(
    number: int = 0, rating: float = 2300.0, games: int = 60, **fields
) -> Player:
    return make_player(
        fide_id=str(FIRST_ID + number),
        ratings={"OTBR": (rating, games)},
        federation="USA",
        **fields,
    )


def ready(
    staff: User, player: Player, results: list[tuple[int | None, int]], **event: object
) -> ForeignResult:
    result = make_result(staff, player, results, **event)
    return mark_ready(actor=staff, result_id=result.pk)


def rated(
    staff: User, player: Player, results: list[tuple[int | None, int]], **event: object
) -> ForeignResult:
    result = ready(staff, player, results, **event)
    rate_if_eligible(result_id=result.pk)
    return ForeignResult.objects.get(pk=result.pk)
