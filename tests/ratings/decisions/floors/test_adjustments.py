"""Adjusted ratings: proposed by one, approved by another, replayed until withdrawn."""

from datetime import date, timedelta

import pytest
from django.urls import reverse

from ratings.decisions.floors.queries.floors import current_floor
from ratings.decisions.floors.services.adjustments import (
    propose_adjustment,
    propose_withdrawal,
)
from ratings.decisions.floors.services.validation import FloorRefused
from ratings.engine.systems import System
from ratings.models import (
    Adjustment,
    FloorLowering,
    PlayerRating,
    RatingChange,
    RerateMark,
)
from ratings_site.common.accounts.permissions import NotAllowed
from ratings_site.common.approvals.kinds import ApprovalRefused
from ratings_site.common.approvals.services import approve
from ratings_site.common.audit.services import entries_about
from ratings_site.common.models import PendingAct
from tests.factories import END, make_player, make_td, rated_section
from tests.ratings.decisions.floors.factories import (
    ADJUST,
    clerk,
    granted_floor,
    staff_with_permissions,
)
from tests.ratings.rerates.factories import play

pytestmark = pytest.mark.django_db

DAY = timedelta(days=1)


def propose(player, actor=None, **changes):
    facts = {
        "system": "OTBR",
        "kind": "reinstate",
        "day": END,
        "rating": 1686.0,
        "games": 40,
        "reason": "The rating of 1998 was lost.",
    }
    return propose_adjustment(
        player_id=player.pk,
        actor=actor or staff_with_permissions(ADJUST),
        **facts | changes,
    )


def adjusted(player, **changes) -> Adjustment:
    act = propose(player, **changes)
    return approve(act_id=act.pk, actor=staff_with_permissions(ADJUST))


def test_adjustment_counts_after_second_approval():
    player = make_player(ratings={"OTBR": (1500.0, 30)})
    proposer, second = staff_with_permissions(ADJUST), staff_with_permissions(ADJUST)
    act = propose(player, proposer)
    with pytest.raises(ApprovalRefused):
        approve(act_id=act.pk, actor=proposer)
    assert PlayerRating.objects.get().rating == 1500.0

    adjustment = approve(act_id=act.pk, actor=second)

    assert (adjustment.decided_by, adjustment.approved_by) == (proposer, second)
    assert adjustment.reason == "The rating of 1998 was lost."
    current = PlayerRating.objects.get()
    assert (current.rating, current.games, current.rated_on) == (1686.0, 40, END)
    line = RatingChange.objects.get(calculation__adjustment=adjustment)
    assert (line.formula, line.pre_rating, line.post_rating) == (
        "adjustment",
        1500.0,
        1686.0,
    )
    assert [one.action for one in entries_about(adjustment)] == ["adjustment.made"]
    assert not RerateMark.objects.exists()


def test_adjustment_before_a_later_rating_creates_a_pending_rerate():
    section = rated_section()
    player = section.entries.first().player
    before = PlayerRating.objects.get(player=player).rating
    adjusted(player, day=section.ends - 30 * DAY)
    [mark] = RerateMark.objects.all()
    assert (mark.kind, mark.from_day, mark.player) == (
        "adjustment",
        section.ends - 30 * DAY,
        player,
    )
    assert PlayerRating.objects.get(player=player).rating == before


@pytest.mark.parametrize(
    ("changes", "rule"),
    [
        ({"rating": 99.9}, "between 100 and 3500"),
        ({"rating": 3500.5}, "between 100 and 3500"),
        ({"games": 0}, "adjusted_rating_rests_on_games"),
        ({"day": date(2999, 1, 1)}, "The first day must be today or"),
        ({"kind": "gift"}, "gift"),
        ({"reason": " "}, "blank"),
    ],
)
def test_implausible_adjustment_is_refused_with_the_rule(changes, rule):
    player = make_player(ratings={"OTBR": (1500.0, 30)})
    with pytest.raises(FloorRefused, match=rule):
        propose(player, **changes)


def test_adjustment_below_the_floor_is_refused_before_it_is_proposed():
    """A peak of 1800 makes a floor of 1600 (section 5)."""
    player = make_player(ratings={"OTBR": (1800.0, 30)})
    with pytest.raises(FloorRefused) as refusal:
        propose(player, rating=1599.99)
    assert (
        "On May 5, 2024, Adams, Ada has a Regular floor of 1600 (Peak floor), so a "
        "rating of 1599.99 would go back to 1600 with the next event. Lower the floor "
        "first, effective that day or earlier."
    ) in str(refusal.value).replace(player.name, "Adams, Ada")
    assert not PendingAct.objects.exists()
    assert propose(player, rating=1600.0).status == "waiting"


def lowered(player, starts) -> None:
    FloorLowering.objects.create(
        player=player,
        system="OTBR",
        level=1500,
        starts=starts,
        reason="Asked for.",
        decided_by=staff_with_permissions(ADJUST),
    )


@pytest.mark.parametrize(("starts", "allowed"), [(END, True), (END + DAY, False)])
def test_floor_is_lowered_from_the_day_of_an_adjustment_or_earlier(starts, allowed):
    player = make_player(ratings={"OTBR": (1800.0, 30)})
    lowered(player, starts)
    if allowed:
        assert propose(player, rating=1500.0).status == "waiting"
        with pytest.raises(FloorRefused, match="floor of 1500"):
            propose(player, rating=1499.0)
    else:
        with pytest.raises(FloorRefused, match="floor of 1600"):
            propose(player, rating=1500.0)


def test_floor_counts_that_holds_before_the_games_of_the_day():
    """The day's own section takes the peak from 1795 over 1800; it comes later."""
    player = make_player(ratings={"OTBR": (1795.0, 30)})
    others = [make_player(ratings={"OTBR": (1795.0, 30)}) for _ in range(3)]
    play(make_td(), [player, *others], ends=END)
    peak = RatingChange.objects.get(player=player, calculation__section__isnull=False)
    assert peak.peak > 1800
    assert current_floor(player, System.OTBR, on=END).level == 1600
    assert propose(player, rating=1550.0, day=END).status == "waiting"
    with pytest.raises(FloorRefused, match="floor of 1600"):
        propose(player, rating=1550.0, day=END + DAY)


def test_floor_granted_after_the_proposal_refuses_the_approval():
    player = make_player(ratings={"OTBR": (1800.0, 30)})
    act = propose(player, rating=1650.0)
    granted_floor(
        player_id=player.pk,
        system="OTBR",
        level=1700,
        starts=END,
    )
    with pytest.raises(FloorRefused, match="Set by the office"):
        approve(act_id=act.pk, actor=staff_with_permissions(ADJUST))
    assert not Adjustment.objects.exists()


def test_page_names_the_floors_of_today(client):
    player = make_player(ratings={"OTBR": (1800.0, 30), "OTBB": (1400.0, 9)})
    client.force_login(staff_with_permissions(ADJUST))
    page = client.get(reverse("ratings:adjust", args=[player.member_id]))
    assert "Current floors: Regular 1600, Blitz 100." in page.content.decode()


def withdraw(adjustment, proposer=None, second=None) -> Adjustment:
    act = propose_withdrawal(
        adjustment_id=adjustment.pk,
        reason="Wrong.",
        actor=proposer or staff_with_permissions(ADJUST),
    )
    return approve(act_id=act.pk, actor=second or staff_with_permissions(ADJUST))


def test_second_adjustment_of_a_day_is_refused_until_the_first_is_withdrawn():
    player = make_player(ratings={"OTBR": (1500.0, 30)})
    adjustment = adjusted(player)
    with pytest.raises(
        FloorRefused, match="This rating is already adjusted on that date"
    ):
        propose(player)
    withdraw(adjustment)
    assert propose(player).status == "waiting"


def test_an_adjustment_is_named_in_words_and_not_in_codes():
    player = make_player("12345674", "Ada", "Lind", ratings={"OTBR": (1500.0, 30)})
    said = "Ada Lind (12345674): Regular set to 1686 on May 5, 2024"
    assert str(adjusted(player)) == said


def test_withdrawing_needs_second_approval_too():
    adjustment = adjusted(make_player(ratings={"OTBR": (1500.0, 30)}))
    proposer = staff_with_permissions(ADJUST)
    with pytest.raises(
        ApprovalRefused, match="You proposed this, so another person must approve it"
    ):
        withdraw(adjustment, proposer, proposer)
    adjustment.refresh_from_db()
    assert adjustment.withdrawn_at is None
    assert not RerateMark.objects.exists()


def test_withdrawn_adjustment_stays_on_record_and_creates_a_pending_rerate():
    player = make_player(ratings={"OTBR": (1500.0, 30)})
    adjustment, second = adjusted(player), staff_with_permissions(ADJUST)
    withdraw(adjustment, second=second)
    adjustment.refresh_from_db()
    assert adjustment.withdrawn_at is not None
    [mark] = RerateMark.objects.all()
    assert (mark.kind, mark.from_day) == ("adjustment", END)
    last = entries_about(adjustment).order_by("-pk").first()
    assert (last.action, last.actor, last.reason) == (
        "adjustment.withdrawn",
        second,
        "Wrong.",
    )
    with pytest.raises(
        FloorRefused, match="This adjustment has already been withdrawn"
    ):
        withdraw(adjustment)


def test_adjusting_requires_the_permission():
    player = make_player(ratings={"OTBR": (1500.0, 30)})
    with pytest.raises(NotAllowed):
        propose(player, clerk())
    adjustment = adjusted(player)
    with pytest.raises(NotAllowed):
        propose_withdrawal(adjustment_id=adjustment.pk, reason="So.", actor=clerk())
