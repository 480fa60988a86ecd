"""The FIDE ratings of members, copied from the stored lists by FIDE ID."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from datetime import date

from django.db import transaction

from players.members.rating_history import rating_history
from players.models import ExternalRating, FideList, FideRating, Player
from ratings_site.common.models import User
from ratings_site.common.web.files import groups

FIDE = ExternalRating.Body.FIDE
# SQLite allows at most 32,766 values in a statement.
BATCH_SIZE = 10_000


def write_external_ratings(
    members: Mapping[int, int | None], *, actor: User | None, note: str
) -> dict[int, date]:
    """Make the ratings of these members match the stored lists.

    *members* maps players to FIDE IDs (None: no longer linked). Return the changed
    players, each with the first list that changed. The ratings app is notified of those
    it can affect. A value that staff entered for a list stays unchanged.
    """
    with transaction.atomic():
        changed = copy_external_ratings(members)
        _report_change(changed, actor, note)
    return changed


def copy_external_ratings(members: Mapping[int, int | None]) -> dict[int, date]:
    """Do the same without notifying the ratings app (merges notify it themselves)."""
    changed: dict[int, date] = {}
    with transaction.atomic():
        for some in groups(sorted(members), BATCH_SIZE):
            changed |= _write({pk: members[pk] for pk in some})
    return changed


def _write(members: Mapping[int, int | None]) -> dict[int, date]:
    wanted = _wanted(members)
    changed: dict[int, date] = {}
    outdated: list[int] = []
    for row in ExternalRating.objects.filter(player__in=members, body=FIDE):
        key = (row.player_id, row.list_date)
        told = wanted.get(key)
        if row.fide_list_id is None or (told and told[0] == row.rating):
            wanted.pop(key, None)
            continue
        outdated.append(row.pk)
        _keep_earliest(changed, *key)
    ExternalRating.objects.filter(pk__in=outdated).delete()
    ExternalRating.objects.bulk_create(
        [
            ExternalRating(
                player_id=player_id,
                body=FIDE,
                list_date=day,
                rating=rating,
                fide_list_id=list_id,
                source=f"FIDE list of {day:%B %Y}",
            )
            for (player_id, day), (rating, list_id) in wanted.items()
        ],
        batch_size=1000,
    )
    for player_id, day in wanted:
        _keep_earliest(changed, player_id, day)
    return changed


def _keep_earliest(changed: dict[int, date], player_id: int, day: date) -> None:
    changed[player_id] = min(day, changed.get(player_id, day))


def _wanted(
    members: Mapping[int, int | None],
) -> dict[tuple[int, date], tuple[int, int]]:
    """Return {(player, list date): (rating, list)} from the lists in use.

    A list counts for a member if it changed the rating or rated games: then the rating
    was computed for that list, and its age is measured from there.
    """
    players = {fide_id: pk for pk, fide_id in members.items() if fide_id is not None}
    wanted: dict[tuple[int, date], tuple[int, int]] = {}
    before: defaultdict[int, int | None] = defaultdict(lambda: None)
    for fide_id, list_id, day, rating, games in _history(list(players)):
        if rating is not None and (rating != before[fide_id] or games):
            wanted[players[fide_id], day] = (rating, list_id)
        before[fide_id] = rating
    return wanted


def _history(fide_ids: list[int]) -> Iterator[tuple[int, int, date, int | None, int]]:
    rows = FideRating.objects.filter(
        fide_id__in=fide_ids, list__state__in=FideList.IN_USE
    ).order_by("list__list_date")
    yield from rows.values_list(
        "fide_id", "list_id", "list__list_date", "rating", "games"
    ).iterator()


def _report_change(changed: dict[int, date], actor: User | None, note: str) -> None:
    """Notify the ratings app of each member, with the first affected day."""
    if not changed:
        return
    concerned = rating_history().affected_by_rating(changed, min(changed.values()))
    for some in groups(sorted(concerned), BATCH_SIZE):
        for player in Player.objects.filter(pk__in=some).iterator(chunk_size=2000):
            rating_history().history_changed(
                kind="external_rating",
                player=player,
                day=changed[player.pk],
                actor=actor,
                note=f"FIDE rating of {player.name}: {note}",
            )
