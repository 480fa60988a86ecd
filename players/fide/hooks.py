"""FIDE opt-out requests on the dashboard, and previews of linking FIDE IDs."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext, ngettext_lazy

from players.fide.queries import fide_player, opt_out_requests
from players.fide.services.links import LINK, UNLINK, link_fide_id, unlink_fide_id
from players.members.rating_history import rating_history
from players.models import ExternalRating, Player
from ratings_site.common.approvals.preview import PreviewLine, register_preview
from ratings_site.common.dashboard.queries import register_count
from ratings_site.common.models import User

register_count(
    opt_out_requests,
    order=110,
    what=ngettext_lazy("FIDE opt-out request", "FIDE opt-out requests"),
    page="players_office:opt_ins",
    at="?show=asked",
)


@register_preview(LINK)
def preview_link(facts: Mapping[str, Any], actor: User) -> list[PreviewLine]:
    player = Player.objects.get(pk=facts["player_id"])
    fide_id = facts["fide_id"]
    do = partial(
        link_fide_id, player_id=player.pk, fide_id=fide_id, actor=actor, reason="-"
    )
    message = _("{member} gets FIDE ID {fide_id}.")
    effects = [PreviewLine("linked", message.format(member=player, fide_id=fide_id))]
    listed = fide_player(fide_id)
    if listed and listed.federation != player.federation:
        message = _("The federation changes to {federation}.")
        effects.append(
            PreviewLine("flag", message.format(federation=listed.federation))
        )
    return [
        *effects,
        *_list_ratings_preview(player, do),
        PreviewLine("can_be_undone", _("You can remove the link later.")),
    ]


@register_preview(UNLINK)
def preview_unlink(facts: Mapping[str, Any], actor: User) -> list[PreviewLine]:
    player = Player.objects.get(pk=facts["player_id"])
    do = partial(unlink_fide_id, player_id=player.pk, actor=actor, reason="-")
    message = _("{member} will have no FIDE ID. You can link the correct one later.")
    return [
        PreviewLine("unlinked", message.format(member=player)),
        *_list_ratings_preview(player, do),
        PreviewLine("can_be_undone", _("You can link it again later.")),
    ]


def _list_ratings_preview(
    player: Player, do: Callable[[], object]
) -> list[PreviewLine]:
    """Preview how many ratings of the stored lists are added or removed."""
    rows = ExternalRating.objects.filter(player=player, body=ExternalRating.Body.FIDE)
    before, after = rows.count(), 0

    def do_and_count() -> None:
        nonlocal after
        do()
        after = rows.count()

    rehearsed = rating_history().effects_of(do_and_count, [player])
    number = abs(after - before)
    if after > before:
        message = ngettext(
            "{number} FIDE rating from the stored lists will be used for this member.",
            "{number} FIDE ratings from the stored lists will be used for this member.",
            number,
        )
    else:
        message = ngettext(
            "{number} FIDE rating from the stored lists will no longer be used.",
            "{number} FIDE ratings from the stored lists will no longer be used.",
            number,
        )
    lists = [PreviewLine("lists", message.format(number=number))] if number else []
    return [*lists, *rehearsed]
