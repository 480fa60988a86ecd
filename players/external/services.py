"""FIDE and CFC ratings that staff enter manually, with their dates."""

from datetime import date

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext

from players.members.rating_history import rating_history
from players.members.services import refuse_duplicate
from players.models import ExternalRating, Player
from ratings_site.common.accounts.permissions import require_permission
from ratings_site.common.approvals.kinds import Refusal
from ratings_site.common.audit.services import record
from ratings_site.common.db.locks import lock_ratings_or_refuse
from ratings_site.common.models import User

PERMISSION = "players.add_externalrating"
# Names of the actions in the preview registry.
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
    """Enter a rating of one list, or correct the one entered for it before.

    *list_date* is the day on which the rating takes effect; *reason* states its source.
    """
    require_permission(actor, PERMISSION)
    if list_date > timezone.localdate():
        raise RatingRefused(
            gettext("This date is in the future. Enter the date of a published list.")
        )
    with transaction.atomic():
        lock_ratings_or_refuse(RatingRefused)
        player = Player.objects.select_for_update(of=("self",)).get(pk=player_id)
        refuse_duplicate(player, RatingRefused)
        before = player.external_ratings.filter(body=body, list_date=list_date).first()
        if before and (before.rating, before.games) == (rating, games):
            raise RatingRefused(
                gettext("{before} is already entered.").format(before=before)
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
                "games": games,
            },
        )
        report_rating_change(entered, actor, list_date)
    return entered


def remove_rating(*, entered_id: int, actor: User, reason: str) -> ExternalRating:
    """Remove a rating that was entered for the wrong member, federation or day.

    Ratings from a stored list cannot be removed: they follow the list and the member's
    FIDE ID.
    """
    require_permission(actor, PERMISSION)
    with transaction.atomic():
        lock_ratings_or_refuse(RatingRefused)
        rows = ExternalRating.objects.select_for_update(of=("self",))
        entered = rows.select_related("player").filter(pk=entered_id).first()
        if entered is None:
            raise RatingRefused(gettext("This rating has already been removed."))
        if entered.fide_list_id is not None:
            raise RatingRefused(
                gettext(
                    "This rating comes from a stored list, so it can’t be removed here."
                )
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
        report_rating_change(entered, actor, entered.list_date, what="taken back")
    return entered


def report_rating_change(
    rating: ExternalRating, actor: User | None, from_day: date, *, what: str = "entered"
) -> None:
    """Notify the ratings app if this rating may have affected an initial rating."""
    if not rating_history().affected_by_rating([rating.player_id], from_day):
        return
    rating_history().history_changed(
        kind="external_rating",
        player=rating.player,
        day=from_day,
        actor=actor,
        note=f"{rating.get_body_display()} rating {rating.rating} of "
        f"{rating.player.name} was {what}.",
    )
