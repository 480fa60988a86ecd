"""Ratings to make lists from, and rerates written by hand."""

from datetime import UTC, date, datetime, timedelta

from django.contrib.auth.models import Permission
from django.utils import timezone

from players.models import Player
from ratings.ledger.services.projection import rebuild
from ratings.lists.services.lists import prepare_list, publish_list
from ratings.models import Calculation, OfficialList, RatingChange, Run
from ratings_site.common.models import User
from tests.factories import (
    event_report,
    make_player,
    make_staff,
    make_td,
    rated_event,
    section_report,
)

JUNE, JULY = date(2024, 6, 1), date(2024, 7, 1)
# Before and after the cutoff of the June list, May 15, 2024, 23:45 in Chicago.
BEFORE = datetime(2024, 5, 10, 12, tzinfo=UTC)
CUT_OFF = datetime(2024, 5, 16, 4, 45, tzinfo=UTC)
AFTER = datetime(2024, 5, 20, 12, tzinfo=UTC)


def make_publisher() -> User:
    staff = make_staff()
    staff.user_permissions.add(Permission.objects.get(codename="publish_list"))
    return User.objects.get(pk=staff.pk)


def published(
    month: date = JUNE, *, cut_off: datetime | None = None, actor: User | None = None
) -> OfficialList:
    """A published list of the current ratings, or of those at *cut_off*."""
    draft = prepare_list(month=month, actor=actor, cut_off=cut_off or timezone.now())
    return publish_list(
        month=month, digest=draft.digest, actor=actor, reason="The month's list."
    )


def published_rerate(posts: dict[int, float], *, reason: str = "A correction") -> Run:
    """A published rerate that replaces every current calculation.

    *posts* maps ledger lines to their new ratings.
    """
    now = timezone.now()
    old = list(Calculation.objects.filter(is_current=True).order_by("pk"))
    run = Run.objects.create(
        kind="rerate",
        status="published",
        reason=reason,
        published_at=now,
        publish_reason=reason,
    )
    Calculation.objects.filter(is_current=True).update(
        is_current=False, superseded_by=run
    )
    last: dict[tuple[int, str], int] = {}
    for calculation in old:
        lines = list(calculation.changes.order_by("pk"))
        calculation.pk, calculation.run, calculation._state.adding = None, run, True
        calculation.save()
        for line in lines:
            place = line.player_id, calculation.system
            post = posts.get(line.pk, line.post_rating)
            line.pk, line.calculation, line._state.adding = None, calculation, True
            line.age_start = line.age_start if post == line.post_rating else None
            line.previous_id, line.post_rating = last.get(place), post
            line.save()
            last[place] = line.pk
    rebuild()
    return run


def newcomer_who_lost(member_id: str | None = None, **fields) -> Player:
    """A child of ten whose first event, four losses, left the age-based start: 508."""
    child = make_player(member_id, birth_date=date(2014, 3, 9), **fields)
    others = [
        make_player(ratings={"OTBR": (1500.0 + 10 * number, 40)}) for number in range(4)
    ]
    rows = ["L2W L3B L4W L5B", "W1B H H H", "H W1W H H", "H H W1B H", "H H H W1W"]
    td = make_td()
    rated_event(td, event_report(td, [section_report([child, *others], rows)]))
    return child


def play_for_norms(people: list[Player]) -> None:
    """Let the first of five players, rated 1500, earn the title of 3rd Category.

    All four points against 1500, five times: a norm of 1400 takes 2.5, of 1600 more
    than 4.
    """
    td = make_td()
    rows = ["W2W W3B W4W W5B", "L1B H H H", "H L1W H H", "H H L1B H", "H H H L1W"]
    for number in range(5):
        day = date(2024, 1, 6) + timedelta(7 * number)
        sections = [section_report(people, rows)]
        report = event_report(td, sections, name=f"Open {number}", starts=day, ends=day)
        rated_event(td, report)


def undo(run: Run) -> None:
    run.status, run.undone_at, run.undo_reason = "undone", timezone.now(), "Wrong."
    run.save()
    Calculation.objects.filter(run=run).update(is_current=False)
    Calculation.objects.filter(superseded_by=run).update(
        is_current=True, superseded_by=None
    )
    rebuild()


def line_of(player, system: str = "OTBR") -> RatingChange:
    """The player's newest current line."""
    return RatingChange.objects.filter(
        player=player, calculation__is_current=True, calculation__system=system
    ).latest("pk")
