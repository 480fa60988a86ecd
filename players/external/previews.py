"""Preview of entering or removing a rating of another federation."""

from collections.abc import Mapping
from datetime import date
from functools import partial
from typing import Any

from django.utils.translation import gettext as _

from players.external.services import ENTER, TAKE_BACK, enter_rating, remove_rating
from players.members.rating_history import rating_history
from players.members.services import CANADA
from players.models import ExternalRating, Player
from ratings_site.common.approvals.preview import PreviewLine, register_preview
from ratings_site.common.models import User
from ratings_site.common.ui.formatting import format_day

CFC = ExternalRating.Body.CFC


@register_preview(ENTER)
def preview_rating_entry(facts: Mapping[str, Any], actor: User) -> list[PreviewLine]:
    player = Player.objects.get(pk=facts["player_id"])
    values = {**facts, "list_date": date.fromisoformat(facts["list_date"])}
    rows = player.external_ratings.filter(body=facts["body"])
    before = rows.filter(list_date=values["list_date"]).first()
    do = partial(enter_rating, **values, actor=actor, reason="-")
    rehearsed = rating_history().effects_of(do, [player])
    words = {
        "member": player,
        "rating": facts["rating"],
        "day": format_day(values["list_date"]),
        "before": before.rating if before else None,
    }
    effects = []
    if before is None:
        sentence = _("{member} gets CFC rating {rating}, effective {day}.")
        effects.append(PreviewLine("entered", sentence.format(**words)))
    elif before.rating != facts["rating"]:
        sentence = _(
            "{member}: the CFC rating of {day} changes from {before} to {rating}."
        )
        effects.append(PreviewLine("corrected", sentence.format(**words), "warning"))
    if before and before.games != facts["games"]:
        for name, games in (("old", before.games), ("new", facts["games"])):
            words[name] = "–" if games is None else games
        sentence = _(
            "{member}: the number of games for the CFC rating of {day} changes: "
            "{old} → {new}."
        )
        effects.append(PreviewLine("games", sentence.format(**words), "warning"))
    if facts["body"] == CFC and player.residence != CANADA:
        sentence = _(
            "It won’t be used: our records show that {member} doesn’t live in Canada."
        )
        effects.append(
            PreviewLine("not_in_canada", sentence.format(**words), "warning")
        )
    return [
        *effects,
        *rehearsed,
        PreviewLine(
            "can_be_corrected", _("To fix a wrong value, enter the correct one.")
        ),
    ]


@register_preview(TAKE_BACK)
def preview_rating_removal(facts: Mapping[str, Any], actor: User) -> list[PreviewLine]:
    rows = ExternalRating.objects.select_related("player")
    entered = rows.get(pk=facts["entered_id"])
    do = partial(remove_rating, entered_id=entered.pk, actor=actor, reason="-")
    return [
        *rating_history().effects_of(do, [entered.player]),
        PreviewLine("can_be_entered", _("You can add it again later.")),
    ]
