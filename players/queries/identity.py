"""Who is who: merged numbers, and wishes that go with a person."""

from collections import defaultdict
from collections.abc import Iterable
from datetime import date

from django.db.models import Q

from players.models import FideOptIn, Player


def same_person_ids(ids: Iterable[int]) -> dict[int, list[int]]:
    """Return for each canonical ID all numbers of that person, its own first."""
    kept = list(dict.fromkeys(ids))
    found: defaultdict[int, list[int]] = defaultdict(list)
    rows = Player.objects.filter(merged_into__in=kept).order_by("pk")
    for kept_id, pk in rows.values_list("merged_into", "pk"):
        found[kept_id].append(pk)
    return {pk: [pk, *found[pk]] for pk in kept}


def opted_in_before(player_ids: Iterable[int], day: date) -> set[int]:
    """Return those whose opt-in counts for an event abroad that begins on *day*.

    They opted in on an earlier day and have not opted out before. A wish entered under
    a number that was merged counts for the kept one.
    """
    ids = set(player_ids)
    valid = FideOptIn.objects.filter(opted_in_on__lt=day).filter(
        Q(opted_out_on=None) | Q(opted_out_on__gte=day)
    )
    rows = valid.filter(Q(player__in=ids) | Q(player__merged_into__in=ids)).values_list(
        "player", "player__merged_into"
    )
    return {pk if pk in ids else kept for pk, kept in rows} & ids
