"""Two numbers of one person become one record, and two again if that was wrong.

Nothing that was played moves: entries and ledger lines stay with the number they were
made under, which points to the kept one. What a person brings along besides (FIDE ID,
account, memberships, foreign ratings) goes to the kept record and is noted, so that an
undo gives it back.
"""

from collections.abc import Iterator, Sequence
from datetime import date
from typing import Any

from django.db import IntegrityError, transaction
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from players.fide.services.ratings import copy_external_ratings
from players.identity.queries import differences
from players.members.careers import careers
from players.models import (
    ExternalRating,
    Membership,
    NotSamePerson,
    Player,
    PlayerMerge,
)
from ratings_site.common.accounts.permissions import require
from ratings_site.common.acts.kinds import Approved, Refusal, second_person
from ratings_site.common.acts.services import propose
from ratings_site.common.audit.services import record
from ratings_site.common.database.locks import hold_ratings_or
from ratings_site.common.models import PendingAct, User

PERMISSION = "players.merge_players"
MERGE = "players.merge"
# The name under which it is asked what undoing a merge does.
UNDO = "players.undo_merge"
# What goes along if the kept record has none. The first two can belong to one only.
MOVES = ("fide_id", "account_id")
COPIES = ("birth_date", "gender", "state", "federation")


class MergeRefused(Refusal):
    """The merge, or its undoing, cannot be; *sentences* say why."""

    def __init__(self, *sentences: str) -> None:
        super().__init__(" ".join(sentences))
        self.sentences = list(sentences)


def refusals(kept: Player, merged: Player) -> list[str]:
    """Say what stands against the two being one person; nothing if nothing does."""
    return refusals_of([(kept, merged)])[0]


def refusals_of(pairs: Sequence[tuple[Player, Player]]) -> list[list[str]]:
    """Say it of each pair, kept and merged (as many queries for one as for all)."""
    met = careers().merge_refusals(pairs)
    return [
        [*_refusals_on_record(kept, merged), *sentences]
        if kept.pk != merged.pk
        else ["These are two numbers of one record already."]
        for (kept, merged), sentences in zip(pairs, met, strict=True)
    ]


def _refusals_on_record(kept: Player, merged: Player) -> Iterator[str]:
    if merged.merged_into_id is not None:
        yield f"{merged} is merged into {merged.canonical} already."
    if kept.fide_id and merged.fide_id:
        yield (
            f"They have different FIDE IDs, {kept.fide_id} and {merged.fide_id}. If "
            "one of them is wrong, correct it first."
        )


def merge_players(
    *, kept_id: int, merged_id: int, actor: User, reason: str
) -> PlayerMerge | PendingAct:
    """Let the record of *merged_id* go on under *kept_id*.

    If that one is itself a duplicate, the member it was merged into is kept. Where
    their names or birth dates differ, a second person has to approve; then the waiting
    act is returned instead of the merge.
    """
    require(actor, PERMISSION)
    if not reason.strip():
        raise MergeRefused(_("Say why they are one person."))
    with transaction.atomic():
        hold_ratings_or(MergeRefused)
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


@second_person(MERGE, permission=PERMISSION)
def merge_as_proposed(act: Approved) -> PlayerMerge:
    """Merge two whose records differ, once a second person has approved it."""
    with transaction.atomic():
        hold_ratings_or(MergeRefused)
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
    kept, merged = _locked_pair(kept_id, merged_id)
    if sentences := refusals(kept, merged):
        raise MergeRefused(*sentences)
    return kept, merged


def _merge(
    kept: Player, merged: Player, *, by: User, approved_by: User, reason: str
) -> PlayerMerge:
    moved = _move(kept, merged)
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
    careers().history_changed(
        kind="merge",
        player=kept,
        day=None,
        actor=approved_by,
        note=f"{merged} was merged into {kept}.",
    )
    return merge


def _locked_pair(kept_id: int, merged_id: int) -> tuple[Player, Player]:
    """Lock both and the one the kept one was merged into; return the two."""
    root = Player.objects.get(pk=kept_id).merged_into_id or kept_id
    locked = {
        player.pk: player
        for player in Player.objects.select_for_update()
        .filter(pk__in={root, merged_id})
        .order_by("pk")
    }
    kept, merged = locked[root], locked[merged_id]
    if kept.merged_into_id is not None:
        raise MergeRefused(
            _("{kept} has just been merged. Look at the pair again.").format(kept=kept)
        )
    return kept, merged


def _move(kept: Player, merged: Player) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    for name in (*MOVES, *COPIES):
        value = getattr(merged, name)
        if value and not getattr(kept, name):
            fields[name] = value.isoformat() if isinstance(value, date) else value
            setattr(kept, name, value)
            if name in MOVES:
                setattr(merged, name, None)
    moved = {"fields": fields, "status": merged.status}
    moved["repointed"] = _repoint(merged.duplicates.all(), kept)
    merged.status, merged.merged_into = Player.Status.DUPLICATE, kept
    merged.save()
    kept.save()
    moved["memberships"] = _hand_over(merged.memberships.all(), kept)
    moved["external_ratings"] = _hand_over(_ratings_for(merged, kept), kept)
    _copy_fide_ratings(kept, merged, fields)
    return moved


def _repoint(duplicates: Any, to: Player) -> list[int]:
    ids = sorted(duplicates.values_list("pk", flat=True))
    Player.objects.filter(pk__in=ids).update(merged_into=to)
    return ids


def _hand_over(rows: Any, to: Player) -> list[int]:
    ids = sorted(rows.values_list("pk", flat=True))
    rows.model.objects.filter(pk__in=ids).update(player=to)
    return ids


def _ratings_for(giver: Player, taker: Player) -> Any:
    """Return the ratings entered by hand for whose list the other has none."""
    taken = set(taker.external_ratings.values_list("body", "list_date"))
    entered = giver.external_ratings.filter(fide_list=None)
    ids = [row.pk for row in entered if (row.body, row.list_date) not in taken]
    return ExternalRating.objects.filter(pk__in=ids)


def _copy_fide_ratings(kept: Player, merged: Player, fields: dict[str, Any]) -> None:
    """Let the ratings of the lists follow a FIDE ID that has moved."""
    if "fide_id" in fields:
        copy_external_ratings(
            {player.pk: player.fide_number for player in (kept, merged)}
        )


def undo_merge(*, merge_id: int, actor: User, reason: str) -> PlayerMerge:
    """Make two records of one again, each with what it had."""
    require(actor, PERMISSION)
    if not reason.strip():
        raise MergeRefused(_("Say why they are two people."))
    with transaction.atomic():
        hold_ratings_or(MergeRefused)
        merge = PlayerMerge.objects.select_for_update().get(pk=merge_id)
        if merge.undone_at is not None:
            raise MergeRefused(_("This merge has been undone already."))
        players = Player.objects.select_for_update().order_by("pk")
        locked = {
            player.pk: player
            for player in players.filter(pk__in=[merge.kept_id, merge.merged_id])
        }
        kept, merged = locked[merge.kept_id], locked[merge.merged_id]
        goes_on = merged.canonical
        _give_back(merge, kept, merged)
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
        careers().merge_undone(
            kept=goes_on,
            merged=merged,
            merged_at=merge.at,
            note=f"The merge of {merged} into {kept} was undone.",
            actor=actor,
        )
    return merge


def _give_back(merge: PlayerMerge, kept: Player, merged: Player) -> None:
    moved = merge.moved
    merged.status, merged.merged_into = moved["status"], None
    returned = _take_fields_back(moved["fields"], kept, merged)
    kept.save()
    merged.save()
    for model, name in (
        (Membership, "memberships"),
        (ExternalRating, "external_ratings"),
    ):
        model.objects.filter(pk__in=moved[name], player=kept).update(player=merged)
    Player.objects.filter(pk__in=numbers_that_return(merge)).update(merged_into=merged)
    _copy_fide_ratings(kept, merged, returned)


def numbers_that_return(merge: PlayerMerge) -> list[int]:
    """Return the duplicates that came along with the merged number, and still do."""
    still_here = PlayerMerge.objects.filter(
        merged__in=merge.moved["repointed"], undone_at=None
    )
    return list(still_here.values_list("merged_id", flat=True))


def _take_fields_back(
    fields: dict[str, Any], kept: Player, merged: Player
) -> dict[str, Any]:
    """Return what the kept record still has as it came; it loses it."""
    returned = {}
    for name, value in fields.items():
        now = getattr(kept, name)
        if (now.isoformat() if isinstance(now, date) else now) != value:
            continue
        returned[name] = value
        setattr(kept, name, "" if name in ("gender", "state", "federation") else None)
        if name in MOVES:
            setattr(merged, name, value)
    return returned


def tell_apart(
    *, first_id: int, second_id: int, actor: User, reason: str
) -> NotSamePerson:
    """Remember that two suspected duplicates are two people."""
    require(actor, PERMISSION)
    if not reason.strip():
        raise MergeRefused(_("Say how they were told apart."))
    low, high = sorted((first_id, second_id))
    try:
        with transaction.atomic():
            apart = NotSamePerson.objects.create(
                first_id=low, second_id=high, by=actor, reason=reason
            )
            record("player.told_apart", subject=apart, actor=actor, reason=reason)
    except IntegrityError as error:
        raise MergeRefused(_("These two have been told apart already.")) from error
    return apart
