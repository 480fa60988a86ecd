"""FIDE and CFC ratings that staff enter by hand, with their dates."""

from datetime import date

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext

from players.members.careers import careers
from players.models import ExternalRating, Player
from ratings_site.common.accounts.permissions import require
from ratings_site.common.acts.kinds import Refusal
from ratings_site.common.audit.services import record
from ratings_site.common.database.locks import hold_ratings_or
from ratings_site.common.models import User

PERMISSION = "players.add_externalrating"
# The names under which it is asked what an act does.
ENTER, TAKE_BACK = "players.enter_rating", "players.take_rating_back"


class RatingRefused(Refusal):
    """The rating cannot be entered; the message says why."""


def enter_rating(
    *,
    player_id: int,
    body: str,
    rating: int,
    list_date: date,
    actor: User,
    reason: str,
    games: int | None = None,
) -> ExternalRating:
    """Enter a rating of one list, or correct the one that was entered for it.

    *list_date* is the day from which the value is in force; *reason* says where it was
    looked up.
    """
    require(actor, PERMISSION)
    if list_date > timezone.localdate():
        raise RatingRefused(gettext("This list is still to come."))
    with transaction.atomic():
        hold_ratings_or(RatingRefused)
        player = Player.objects.select_for_update(of=("self",)).get(pk=player_id)
        if player.status == Player.Status.DUPLICATE:
            raise RatingRefused(
                gettext("{player} is a duplicate of {canonical}.").format(
                    player=player, canonical=player.canonical
                )
            )
        before = player.external_ratings.filter(body=body, list_date=list_date).first()
        if before is not None and before.rating == rating:
            raise RatingRefused(
                gettext("{before} is entered already.").format(before=before)
            )
        entered, _ = ExternalRating.objects.update_or_create(
            player=player,
            body=body,
            list_date=list_date,
            defaults={
                "rating": rating,
                "games": games,
                "source": reason[:200],
                "fide_list": None,
            },
        )
        record(
            f"external_rating.{'corrected' if before else 'entered'}",
            subject=entered,
            actor=actor,
            reason=reason,
            facts={
                "member": player.member_id,
                "from": before.rating if before else None,
                "to": rating,
            },
        )
        tell_of_rating(entered, actor, list_date)
    return entered


def take_rating_back(*, entered_id: int, actor: User, reason: str) -> ExternalRating:
    """Take away a rating that was entered for the wrong member, body or day.

    One of a stored list follows the list and the member's FIDE ID.
    """
    require(actor, PERMISSION)
    with transaction.atomic():
        hold_ratings_or(RatingRefused)
        rows = ExternalRating.objects.select_for_update(of=("self",))
        entered = rows.select_related("player").filter(pk=entered_id).first()
        if entered is None:
            raise RatingRefused(gettext("This rating was taken back already."))
        if entered.fide_list_id is not None:
            raise RatingRefused(
                gettext("This rating stands on a stored list, and follows it.")
            )
        record(
            "external_rating.taken_back",
            subject=entered,
            actor=actor,
            reason=reason,
            facts={
                "member": entered.player.member_id,
                "body": entered.body,
                "rating": entered.rating,
                "list_date": entered.list_date.isoformat(),
            },
        )
        ExternalRating.objects.filter(pk=entered.pk).delete()
        tell_of_rating(entered, actor, entered.list_date, what="taken back")
    return entered


def tell_of_rating(
    rating: ExternalRating,
    actor: User | None,
    from_day: date,
    *,
    what: str = "entered",
) -> None:
    """Tell the app that computes ratings if this rating can have gone into one."""
    if not careers().affected_by_rating([rating.player_id], from_day):
        return
    careers().history_changed(
        kind="external_rating",
        player=rating.player,
        day=from_day,
        actor=actor,
        note=f"{rating.get_body_display()} rating {rating.rating} of "
        f"{rating.player.name} was {what}.",
    )
