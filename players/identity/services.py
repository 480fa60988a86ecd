"""Merging the two records of one person, and undoing a merge.

Nothing that was played moves: entries and ledger lines stay with the member ID they
were made under, which points to the kept record. Other data of a person (FIDE ID,
account, memberships, foreign ratings) moves to the kept record and is recorded, so that
an undo can restore it.
"""

from collections.abc import Iterator, Sequence
from datetime import date
from typing import Any

from django.db import transaction
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from players.fide.services.ratings import copy_external_ratings
from players.identity.queries import differences
from players.members.rating_history import rating_history
from players.models import (
    ExternalRating,
    Membership,
    NotSamePerson,
    Player,
    PlayerMerge,
)
from players.privacy.services import set_privacy
from ratings_site.common.accounts.permissions import require_permission
from ratings_site.common.approvals.kinds import (
    ApprovedAction,
    Refusal,
    register_approved_action,
)
from ratings_site.common.approvals.services import propose
from ratings_site.common.audit.services import record
from ratings_site.common.db.exceptions import refuse_conflict
from ratings_site.common.db.locks import lock_ratings_or_refuse
from ratings_site.common.models import PendingAct, User

PERMISSION = "players.merge_players"
MERGE = "players.merge"
# Name of the undo action in the preview registry.
UNDO = "players.undo_merge"
# Fields that move if blank in the kept record. The first two are unique to a member.
MOVED_FIELDS = ("fide_id", "account_id")
COPIED_FIELDS = ("birth_date", "birth_year", "gender", "state", "federation")


class MergeRefused(Refusal):
    """The merge, or its undo, is not possible; *sentences* say why."""

    def __init__(self, *sentences: str) -> None:
        super().__init__(" ".join(sentences))
        self.sentences = list(sentences)


def refusals(kept: Player, merged: Player) -> list[str]:
    """Return why two members cannot be merged; empty if they can."""
    return refusals_of([(kept, merged)])[0]


def refusals_of(pairs: Sequence[tuple[Player, Player]]) -> list[list[str]]:
    """Return the reasons for each pair (kept, merged), in a fixed number of queries."""
    met = rating_history().merge_refusals(pairs)
    return [
        [*_refusals_on_record(kept, merged), *sentences]
        if kept.pk != merged.pk
        else [_("Both IDs already belong to one member.")]
        for (kept, merged), sentences in zip(pairs, met, strict=True)
    ]


def _refusals_on_record(kept: Player, merged: Player) -> Iterator[str]:
    if merged.merged_into_id is not None:
        yield _("{merged} is already merged into {kept}.").format(
            merged=merged, kept=merged.canonical
        )
    if kept.fide_id and merged.fide_id:
        yield _(
            "They have different FIDE IDs, {kept} and {merged}. If one of them is "
            "wrong, correct it first."
        ).format(kept=kept.fide_id, merged=merged.fide_id)


def merge_players(
    *, kept_id: int, merged_id: int, actor: User, reason: str
) -> PlayerMerge | PendingAct:
    """Merge *merged_id* into *kept_id*.

    If the latter is a duplicate itself, its canonical record is kept. If names or birth
    dates differ, a second approval is required; then return the pending approval
    instead of the merge.
    """
    require_permission(actor, PERMISSION)
    if not reason.strip():
        raise MergeRefused(_("Enter why they’re the same person."))
    with transaction.atomic():
        lock_ratings_or_refuse(MergeRefused)
        kept, merged = _pair_to_merge(kept_id, merged_id)
        if not differences(kept, merged):
            return _merge(kept, merged, by=actor, approved_by=actor, reason=reason)
        return propose(
            MERGE,
            title=f"Merge {merged} into {kept}",
            payload={"player_id": kept.pk, "merged_id": merged.pk},
            actor=actor,
            reason=reason.strip(),
            url=reverse("players_office:pair", args=[kept.member_id, merged.member_id]),
        )


@register_approved_action(MERGE, permission=PERMISSION)
def merge_as_proposed(act: ApprovedAction) -> PlayerMerge:
    """Merge two members whose records differ, after a second approval."""
    with transaction.atomic():
        lock_ratings_or_refuse(MergeRefused)
        kept, merged = _pair_to_merge(
            act.payload["player_id"], act.payload["merged_id"]
        )
        return _merge(
            kept,
            merged,
            by=act.proposed_by,
            approved_by=act.approved_by,
            reason=act.reason,
        )


def _pair_to_merge(kept_id: int, merged_id: int) -> tuple[Player, Player]:
    kept, merged = _lock_pair(kept_id, merged_id)
    if sentences := refusals(kept, merged):
        raise MergeRefused(*sentences)
    return kept, merged


def _merge(
    kept: Player, merged: Player, *, by: User, approved_by: User, reason: str
) -> PlayerMerge:
    moved = _move(kept, merged)
    if kept.is_private or merged.is_private:
        set_privacy(kept, is_private=True)
    merge = PlayerMerge.objects.create(
        kept=kept, merged=merged, by=by, reason=reason, moved=moved
    )
    record(
        "player.merged",
        subject=merged,
        actor=approved_by,
        reason=reason,
        facts={"kept": kept.member_id, "merged": merged.member_id, "moved": moved},
    )
    rating_history().history_changed(
        kind="merge",
        player=kept,
        day=None,
        actor=approved_by,
        note=f"{merged} was merged into {kept}.",
    )
    return merge


def _lock_pair(kept_id: int, merged_id: int) -> tuple[Player, Player]:
    """Lock and return both members, with the record the kept one is merged into."""
    root = Player.objects.get(pk=kept_id).merged_into_id or kept_id
    locked = _lock_in_order(root, merged_id)
    kept, merged = locked[root], locked[merged_id]
    if kept.merged_into_id is not None:
        raise MergeRefused(
            _("{kept} was just merged. Check the pair again.").format(kept=kept)
        )
    return kept, merged


def _lock_in_order(*ids: int) -> dict[int, Player]:
    players = Player.objects.select_for_update().filter(pk__in=ids).order_by("pk")
    return {player.pk: player for player in players}


def _move(kept: Player, merged: Player) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    for name in (*MOVED_FIELDS, *COPIED_FIELDS):
        value = getattr(merged, name)
        if name in ("birth_date", "birth_year") and kept.year_of_birth not in (
            None,
            merged.year_of_birth,
        ):
            continue  # as with two dates, the kept record's stays
        if value and not getattr(kept, name):
            fields[name] = value.isoformat() if isinstance(value, date) else value
            setattr(kept, name, value)
            if name in MOVED_FIELDS:
                setattr(merged, name, None)
    moved: dict[str, Any] = {"fields": fields, "status": merged.status}
    moved["repointed"] = _repoint(merged.duplicates.all(), kept)
    merged.status, merged.merged_into = Player.Status.DUPLICATE, kept
    merged.save()
    kept.save()
    moved["memberships"] = _move_rows(merged.memberships.all(), kept)
    moved["external_ratings"] = _move_rows(_ratings_for(merged, kept), kept)
    _copy_fide_ratings(kept, merged, fields)
    return moved


def _repoint(duplicates: Any, to: Player) -> list[int]:
    ids = sorted(duplicates.values_list("pk", flat=True))
    Player.objects.filter(pk__in=ids).update(merged_into=to)
    return ids


def _move_rows(rows: Any, to: Player) -> list[int]:
    ids = sorted(rows.values_list("pk", flat=True))
    rows.model.objects.filter(pk__in=ids).update(player=to)
    return ids


def _ratings_for(giver: Player, taker: Player) -> Any:
    """Return the manually entered ratings for lists where the other has none."""
    taken = set(taker.external_ratings.values_list("body", "list_date"))
    entered = giver.external_ratings.filter(fide_list=None)
    ids = [row.pk for row in entered if (row.body, row.list_date) not in taken]
    return ExternalRating.objects.filter(pk__in=ids)


def _copy_fide_ratings(kept: Player, merged: Player, fields: dict[str, Any]) -> None:
    """Copy the list ratings of a FIDE ID that has moved."""
    if "fide_id" in fields:
        copy_external_ratings(
            {player.pk: player.fide_number for player in (kept, merged)}
        )


def undo_merge(*, merge_id: int, actor: User, reason: str) -> PlayerMerge:
    """Undo a merge, and restore the data of both members."""
    require_permission(actor, PERMISSION)
    if not reason.strip():
        raise MergeRefused(_("Enter why they’re two people."))
    with transaction.atomic():
        lock_ratings_or_refuse(MergeRefused)
        merge = PlayerMerge.objects.select_for_update().get(pk=merge_id)
        if merge.undone_at is not None:
            raise MergeRefused(_("This merge has already been undone."))
        locked = _lock_in_order(merge.kept_id, merge.merged_id)
        kept, merged = locked[merge.kept_id], locked[merge.merged_id]
        survivor = merged.canonical
        _restore_merged(merge, kept, merged)
        merge.undone_at, merge.undone_by = timezone.now(), actor
        merge.undo_reason = reason
        merge.save(update_fields=["undone_at", "undone_by", "undo_reason"])
        record(
            "player.merge_undone",
            subject=merged,
            actor=actor,
            reason=reason,
            facts={"kept": kept.member_id, "merged": merged.member_id},
        )
        rating_history().merge_undone(
            kept=survivor,
            merged=merged,
            merged_at=merge.at,
            note=f"The merge of {merged} into {kept} was undone.",
            actor=actor,
        )
    return merge


def _restore_merged(merge: PlayerMerge, kept: Player, merged: Player) -> None:
    moved = merge.moved
    merged.status, merged.merged_into = moved["status"], None
    returned = _restore_fields(moved["fields"], kept, merged)
    kept.save()
    merged.save()
    for model, name in (
        (Membership, "memberships"),
        (ExternalRating, "external_ratings"),
    ):
        model.objects.filter(pk__in=moved[name], player=kept).update(player=merged)
    Player.objects.filter(pk__in=returning_duplicates(merge)).update(merged_into=merged)
    _copy_fide_ratings(kept, merged, returned)


def returning_duplicates(merge: PlayerMerge) -> list[int]:
    """Return the duplicates that moved with the merged record and are still there."""
    still_here = PlayerMerge.objects.filter(
        merged__in=merge.moved["repointed"], undone_at=None
    )
    return list(still_here.values_list("merged_id", flat=True))


def _restore_fields(
    fields: dict[str, Any], kept: Player, merged: Player
) -> dict[str, Any]:
    """Return the moved fields that are unchanged, and clear them in the kept record."""
    returned = {}
    for name, value in fields.items():
        now = getattr(kept, name)
        if (now.isoformat() if isinstance(now, date) else now) != value:
            continue
        returned[name] = value
        is_text = name in COPIED_FIELDS and not Player._meta.get_field(name).null
        setattr(kept, name, "" if is_text else None)
        if name in MOVED_FIELDS:
            setattr(merged, name, value)
    return returned


def mark_not_duplicates(
    *, first_id: int, second_id: int, actor: User, reason: str
) -> NotSamePerson:
    """Record that two suspected duplicates are two people."""
    require_permission(actor, PERMISSION)
    if not reason.strip():
        raise MergeRefused(_("Enter how you know they’re two people."))
    low, high = sorted((first_id, second_id))
    already = _("These two are already marked as not duplicates.")
    with refuse_conflict(MergeRefused(already)):
        apart = NotSamePerson.objects.create(
            first_id=low, second_id=high, by=actor, reason=reason
        )
        record("player.told_apart", subject=apart, actor=actor, reason=reason)
    return apart
