"""Store the norm titles earned, and decide on those that the records no longer show."""

from collections.abc import Mapping
from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import Max, Q
from django.db.models.functions import Coalesce

from events.models import Entry
from players.models import Player, PlayerMerge
from ratings.decisions.floors.queries.titles import earned_titles, owners_of
from ratings.ledger.queries.point_in_time import (
    all_rated_players,
    players_changed_since,
)
from ratings.models import EarnedTitle
from ratings_site.common.audit.services import record
from ratings_site.common.web.files import groups

# Looked at again, for what was still being written when the last job read the ledger.
OVERLAP = timedelta(days=1)
PEOPLE_AT_ONCE = 1000

REASONS = {
    EarnedTitle.Decision.KEPT: "The records no longer show the title. It is for life.",
    EarnedTitle.Decision.REVOKED: "The records no longer show the title.",
}


def record_titles(*, now: datetime) -> None:
    """Store the titles of all whose ratings have changed; the first time, of everyone.

    A stored title that the records no longer show is kept or revoked, as
    NORM_TITLES_FOR_LIFE says, with an audit entry.
    """
    newest = EarnedTitle.objects.aggregate(at=Max("recorded_at"))["at"]
    since = newest and newest - OVERLAP
    changed = players_changed_since(since) if since else None
    if changed is None:
        changed = all_rated_players()
    else:
        changed |= _changed_without_rating(since)
    kept = Coalesce("merged_into", "pk")
    players = Player.objects.filter(pk__in_array=changed)
    people = set(players.order_by().values_list(kept, flat=True))
    for batch in groups(sorted(people), PEOPLE_AT_ONCE):
        _record(owners_of(batch), now)


def _changed_without_rating(since: datetime) -> set[int]:
    """Return the players of corrected sections and merges since a moment.

    A forfeit win in place of a half-point bye changes a norm but no rating.
    """
    corrected = Entry.objects.filter(
        section__versions__number__gt=1, section__versions__made_at__gt=since
    )
    merges = PlayerMerge.objects.filter(Q(at__gt=since) | Q(undone_at__gt=since))
    found = set(corrected.order_by().values_list("player", flat=True))
    return found.union(*merges.order_by().values_list("kept", "merged"))


def _record(owners: Mapping[int, int], now: datetime) -> None:
    shown = earned_titles(owners)
    found = EarnedTitle.objects.select_for_update().filter(player__in_array=owners)
    # A merge may leave two rows of one person and level.
    rows = [(owners[row.player_id], row) for row in found]
    known = {(person, row.level) for person, row in rows}
    EarnedTitle.objects.bulk_create(
        EarnedTitle(player_id=person, level=level, earned_on=day, recorded_at=now)
        for person, days in shown.items()
        for level, day in days.items()
        if (person, level) not in known
    )
    for person, row in rows:
        is_shown = row.level in shown.get(person, {})
        if is_shown == bool(row.decision):
            _decide(row, is_shown=is_shown)


def _decide(row: EarnedTitle, *, is_shown: bool) -> None:
    """Decide on a title that is gone, or drop the decision on one that is back."""
    if is_shown:
        row.decision = ""
        record("title.earned_again", subject=row, actor=None)
    else:
        is_kept = settings.NORM_TITLES_FOR_LIFE
        decision = row.Decision.KEPT if is_kept else row.Decision.REVOKED
        row.decision = decision
        record(f"title.{decision}", subject=row, actor=None, reason=REASONS[decision])
    row.save(update_fields=["decision"])
