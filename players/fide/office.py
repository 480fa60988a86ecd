"""What FIDE's lists add to the office's first page, and what links will do."""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, ngettext_lazy

from players.fide.queries import fide_player
from players.fide.services.links import LINK, UNLINK, link_fide_id, unlink_fide_id
from players.members.careers import careers
from players.models import ExternalRating, FideOptIn, Player
from ratings_site.common.acts.effects import Effect, says_what_happens
from ratings_site.common.desk.queries import Waiting, says_what_waits, waiting_in
from ratings_site.common.models import User


@says_what_waits
def _what_waits(now: datetime) -> list[Waiting]:
    asking = FideOptIn.objects.filter(opt_out_asked_on__isnull=False, opted_out_on=None)
    return [
        waiting_in(
            asking,
            what=ngettext_lazy(
                "member who asks to opt out of events abroad",
                "members who ask to opt out of events abroad",
            ),
            url=reverse("players_office:opt_ins"),
            now=now,
        )
    ]


@says_what_happens(LINK)
def of_linking(facts: Mapping[str, Any], actor: User) -> list[Effect]:
    player = Player.objects.get(pk=facts["player_id"])
    fide_id = facts["fide_id"]

    def do() -> None:
        link_fide_id(player_id=player.pk, fide_id=fide_id, actor=actor, reason="-")

    said = _("{member} has the FIDE ID {fide_id} then.")
    effects = [Effect("linked", said.format(member=player, fide_id=fide_id))]
    listed = fide_player(fide_id)
    if listed and listed.federation != player.federation:
        said = _("The flag becomes {federation}.")
        effects.append(Effect("flag", said.format(federation=listed.federation)))
    return [
        *effects,
        *_of_lists(player, do),
        Effect("can_be_undone", _("A link can be taken away again.")),
    ]


@says_what_happens(UNLINK)
def of_unlinking(facts: Mapping[str, Any], actor: User) -> list[Effect]:
    player = Player.objects.get(pk=facts["player_id"])

    def do() -> None:
        unlink_fide_id(player_id=player.pk, actor=actor, reason="-")

    said = _("{member} has no FIDE ID then; the right one can be linked.")
    return [
        Effect("unlinked", said.format(member=player)),
        *_of_lists(player, do),
        Effect("can_be_undone", _("It can be linked again.")),
    ]


def _of_lists(player: Player, do: Callable[[], object]) -> list[Effect]:
    """Say how many ratings of the stored lists come or go, and what follows."""
    rows = ExternalRating.objects.filter(player=player, body=ExternalRating.Body.FIDE)
    before, after = rows.count(), 0

    def do_and_count() -> None:
        nonlocal after
        do()
        after = rows.count()

    rehearsed = careers().effects_of(do_and_count, [player])
    number = abs(after - before)
    if after > before:
        said = ngettext(
            "{number} FIDE rating of the stored lists counts for the member.",
            "{number} FIDE ratings of the stored lists count for the member.",
            number,
        )
    else:
        said = ngettext(
            "{number} FIDE rating of the stored lists counts no longer.",
            "{number} FIDE ratings of the stored lists count no longer.",
            number,
        )
    lists = [Effect("lists", said.format(number=number))] if number else []
    return [*lists, *rehearsed]
