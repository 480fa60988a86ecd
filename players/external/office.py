"""What will happen when a rating of another body is entered."""

from collections.abc import Mapping
from datetime import date
from typing import Any

from django.utils.translation import gettext as _

from players.external.services import (
    ENTER,
    TAKE_BACK,
    enter_rating,
    take_rating_back,
)
from players.members.careers import careers
from players.members.services import CANADA
from players.models import ExternalRating, Player
from ratings_site.common.acts.effects import Effect, says_what_happens
from ratings_site.common.looks.figures import day_in_words
from ratings_site.common.models import User

CFC = ExternalRating.Body.CFC


@says_what_happens(ENTER)
def of_entering(facts: Mapping[str, Any], actor: User) -> list[Effect]:
    player = Player.objects.get(pk=facts["player_id"])
    said = {**facts, "list_date": date.fromisoformat(facts["list_date"])}
    rows = player.external_ratings.filter(body=facts["body"])
    before = rows.filter(list_date=said["list_date"]).first()

    def do() -> None:
        enter_rating(**said, actor=actor, reason="-")

    rehearsed = careers().effects_of(do, [player])
    words = {
        "member": player,
        "rating": facts["rating"],
        "day": day_in_words(said["list_date"]),
        "before": before.rating if before else None,
    }
    if before is None:
        sentence = _("{member} has the CFC rating {rating} from {day} on.")
        entered = Effect("entered", sentence.format(**words))
    else:
        sentence = _(
            "{member}: the CFC rating of {day} is {rating} instead of {before}."
        )
        entered = Effect("corrected", sentence.format(**words), "warning")
    effects = [entered]
    if facts["body"] == CFC and player.residence != CANADA:
        sentence = _(
            "It does not count: {member} does not live in Canada, by our records."
        )
        effects.append(Effect("not_in_canada", sentence.format(**words), "warning"))
    return [
        *effects,
        *rehearsed,
        Effect("can_be_corrected", _("A wrong value is put right by another one.")),
    ]


@says_what_happens(TAKE_BACK)
def of_taking_back(facts: Mapping[str, Any], actor: User) -> list[Effect]:
    rows = ExternalRating.objects.select_related("player")
    entered = rows.get(pk=facts["entered_id"])

    def do() -> None:
        take_rating_back(entered_id=entered.pk, actor=actor, reason="-")

    return [
        *careers().effects_of(do, [entered.player]),
        Effect("can_be_entered", _("It can be entered again.")),
    ]
