"""What will happen with a merge, and when one is undone."""

from collections.abc import Iterator, Mapping
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from players.identity.services import (
    MERGE,
    UNDO,
    merge_as_proposed,
    numbers_that_return,
    undo_merge,
)
from players.members.careers import careers
from players.models import Player, PlayerMerge
from ratings_site.common.acts.effects import Effect, says_what_happens
from ratings_site.common.acts.kinds import Approved
from ratings_site.common.models import User

FIELDS = {
    "fide_id": gettext_lazy("FIDE ID"),
    "account_id": gettext_lazy("account"),
    "birth_date": gettext_lazy("birth date"),
    "gender": gettext_lazy("gender"),
    "state": gettext_lazy("state"),
    "federation": gettext_lazy("federation"),
}


@says_what_happens(MERGE)
def of_merge(facts: Mapping[str, Any], actor: User) -> list[Effect]:
    kept = Player.objects.get(pk=facts["player_id"]).canonical
    merged = Player.objects.get(pk=facts["merged_id"])
    made: list[PlayerMerge] = []

    def do() -> None:
        made[:] = [merge_as_proposed(Approved(dict(facts), "-", actor, actor))]

    rehearsed = careers().effects_of(do, [kept, merged])
    return [
        Effect(
            "merged",
            _(
                "{merged} goes on as {kept}. No game moves: what was played under "
                "either number stays there and counts for one person."
            ).format(merged=merged, kept=kept),
        ),
        *(effect for merge in made for effect in _comes_along(merge)),
        *rehearsed,
        Effect(
            "can_be_undone",
            _("It can be undone at any time; each gets back what it had."),
        ),
    ]


def _comes_along(merge: PlayerMerge) -> Iterator[Effect]:
    """Name what the kept record gets, and no value: the page of the pair shows them."""
    names = _fields_of(merge)
    if names:
        yield Effect(
            "fields",
            _("The kept record lacks these and gets them: {names}.").format(
                names=names
            ),
        )
    if number := len(merge.moved["memberships"]):
        yield Effect(
            "memberships",
            ngettext(
                "{number} membership comes along.",
                "{number} memberships come along.",
                number,
            ).format(number=number),
        )
    if number := len(merge.moved["repointed"]):
        yield Effect(
            "duplicates",
            ngettext(
                "{number} number that was merged into it comes along.",
                "{number} numbers that were merged into it come along.",
                number,
            ).format(number=number),
        )


def _fields_of(merge: PlayerMerge) -> str:
    return ", ".join(str(FIELDS[name]) for name in merge.moved["fields"])


@says_what_happens(UNDO)
def of_undoing(facts: Mapping[str, Any], actor: User) -> list[Effect]:
    rows = PlayerMerge.objects.select_related("kept", "merged__merged_into")
    merge = rows.get(pk=facts["merge_id"])
    goes_on = merge.merged.canonical
    returning = numbers_that_return(merge)

    def do() -> None:
        undo_merge(merge_id=merge.pk, actor=actor, reason="-")

    rehearsed = careers().effects_of(do, [goes_on, merge.merged])
    effects = [
        Effect(
            "unmerged",
            _("{merged} and {kept} are two members again.").format(
                merged=merge.merged, kept=goes_on
            ),
        )
    ]
    if names := _fields_of(merge):
        effects.append(
            Effect(
                "fields",
                _(
                    "What came along goes back, unless it was changed since: {names}."
                ).format(names=names),
            )
        )
    if returning:
        effects.append(
            Effect(
                "duplicates",
                ngettext(
                    "{number} other number goes back with it.",
                    "{number} other numbers go back with it.",
                    len(returning),
                ).format(number=len(returning)),
            )
        )
    return [
        *effects,
        *rehearsed,
        Effect("can_be_merged", _("They can be merged again.")),
    ]
