"""Previews of merging members and of undoing a merge."""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from players.identity.services import (
    MERGE,
    UNDO,
    merge_as_proposed,
    returning_duplicates,
    undo_merge,
)
from players.members.rating_history import rating_history
from players.models import Player, PlayerMerge
from ratings_site.common.approvals.kinds import ApprovedAction
from ratings_site.common.approvals.preview import PreviewLine, register_preview
from ratings_site.common.models import User

FIELDS = {
    "fide_id": _("FIDE ID"),
    "account_id": _("account"),
    "birth_date": _("birth date"),
    "birth_year": _("birth year"),
    "gender": _("gender"),
    "state": _("state"),
    "federation": _("federation"),
}


@register_preview(MERGE)
def preview_merge(facts: Mapping[str, Any], actor: User) -> list[PreviewLine]:
    kept = Player.objects.get(pk=facts["player_id"]).canonical
    merged = Player.objects.get(pk=facts["merged_id"])
    made: list[PlayerMerge] = []

    def do() -> None:
        made[:] = [merge_as_proposed(ApprovedAction(dict(facts), "-", actor, actor))]

    rehearsed = rating_history().effects_of(do, [kept, merged])
    return [
        PreviewLine(
            "merged",
            gettext(
                "{merged} is merged into {kept}. Games stay under the ID they were "
                "played with and count for one person."
            ).format(merged=merged, kept=kept),
        ),
        *(effect for merge in made for effect in _moved_data_preview(merge)),
        *rehearsed,
        PreviewLine(
            "can_be_undone",
            gettext(
                "You can undo this at any time. Each member gets back what it had."
            ),
        ),
    ]


def _moved_data_preview(merge: PlayerMerge) -> Iterator[PreviewLine]:
    """List the fields that the kept record gets, without values.

    The page of the pair shows the values.
    """
    names = _moved_fields(merge)
    if names:
        yield PreviewLine(
            "fields",
            gettext("The kept record gets this missing information: {names}.").format(
                names=names
            ),
        )
    if number := len(merge.moved["memberships"]):
        yield PreviewLine(
            "memberships",
            ngettext(
                "{number} membership moves to the kept record.",
                "{number} memberships move to the kept record.",
                number,
            ).format(number=number),
        )
    if number := len(merge.moved["repointed"]):
        yield PreviewLine(
            "duplicates",
            ngettext(
                "{number} ID merged earlier also moves.",
                "{number} IDs merged earlier also move.",
                number,
            ).format(number=number),
        )


def _moved_fields(merge: PlayerMerge) -> str:
    return ", ".join(str(FIELDS[name]) for name in merge.moved["fields"])


@register_preview(UNDO)
def preview_merge_undo(facts: Mapping[str, Any], actor: User) -> list[PreviewLine]:
    rows = PlayerMerge.objects.select_related("kept", "merged__merged_into")
    merge = rows.get(pk=facts["merge_id"])
    survivor = merge.merged.canonical
    returning = returning_duplicates(merge)
    do = partial(undo_merge, merge_id=merge.pk, actor=actor, reason="-")
    rehearsed = rating_history().effects_of(do, [survivor, merge.merged])
    effects = [
        PreviewLine(
            "unmerged",
            gettext("{merged} and {kept} become two separate members again.").format(
                merged=merge.merged, kept=survivor
            ),
        )
    ]
    if names := _moved_fields(merge):
        effects.append(
            PreviewLine(
                "fields",
                gettext(
                    "These are restored unless they’ve changed since: {names}."
                ).format(names=names),
            )
        )
    if returning:
        effects.append(
            PreviewLine(
                "duplicates",
                ngettext(
                    "{number} other ID also goes back.",
                    "{number} other IDs also go back.",
                    len(returning),
                ).format(number=len(returning)),
            )
        )
    return [
        *effects,
        *rehearsed,
        PreviewLine("can_be_merged", gettext("You can merge them again later.")),
    ]
