"""Two sources of one member at one place in rating order: which line is before."""

from collections.abc import Sequence
from datetime import date

import pytest
from django.core.management import call_command

from players.models import Player
from ratings.ledger.services.rating import apply_adjustment
from ratings.models import Adjustment, Calculation, RatingChange
from ratings.pages.why.services import inputs_of
from ratings.rerates.services.publishing import publish_rerate
from ratings.rerates.services.start import start_rerate
from ratings_site.common.jobs.services import run_due_jobs
from tests.factories import make_player, make_staff, make_td, merge_with_approval
from tests.ratings.rerates.factories import play

pytestmark = pytest.mark.django_db

MARCH, APRIL = date(2024, 3, 9), date(2024, 4, 6)


def replayed() -> None:
    """Replay all of history: calculations are written again without stored inputs."""
    run = start_rerate(actor=None, reason="Two lines.", whole_history=True)
    run_due_jobs()
    publish_rerate(run_id=run.pk, actor=None, reason="Looks right.")


def adjusted(player: Player, rating: float, day: date = MARCH) -> None:
    adjustment = Adjustment.objects.create(
        player=player,
        system="OTBR",
        kind="executive",
        day=day,
        rating=rating,
        games=40,
        reason="As the committee decided.",
        decided_by=make_staff(),
        approved_by=make_staff(),
    )
    apply_adjustment(adjustment_id=adjustment.pk)


def with_two_openings(time_control: str) -> tuple[Player, Player]:
    return _merged((1700.0, 1600.0, 1500.0), time_control)


def with_two_adjustments(time_control: str) -> tuple[Player, Player]:
    """Each number of the member was adjusted as of the same day."""
    ada, bo = _merged((1620.0, 1600.0, 1580.0), time_control)
    adjusted(ada, 1700.0)
    adjusted(ada.duplicates.get(), 1500.0)
    return ada, bo


def _merged(ratings: Sequence[float], time_control: str) -> tuple[Player, Player]:
    """Return two members who have met; the first has a second number."""
    ada, bo, again = (make_player(ratings={"OTBR": (held, 40)}) for held in ratings)
    play(make_td(), [ada, bo], ends=APRIL, time_control=time_control)
    merge_with_approval(ada, again)
    return ada, bo


TWO_SOURCES = pytest.mark.parametrize(
    "two_sources", [with_two_openings, with_two_adjustments]
)


@TWO_SOURCES
def test_section_begins_with_the_line_it_goes_on_from(two_sources):
    ada, bo = two_sources("G/90;d5")
    replayed()
    section = Calculation.objects.get(section__isnull=False, is_current=True)
    line = RatingChange.objects.get(calculation=section, player=ada)
    before = RatingChange.objects.get(pk=line.previous_id)
    assert line.pre_rating == before.post_rating == 1500.0
    assert not hasattr(section, "inputs")
    rating_input, _rules = inputs_of(section)
    brought = {one.id: one.rating for one in rating_input.competitors}
    assert brought == {ada.pk: 1500.0, bo.pk: 1600.0}
    call_command("audit", full=True)


@TWO_SOURCES
def test_start_in_one_system_rests_on_the_later_of_equals_in_another(two_sources):
    """No line of the section says from which line of the other system it started."""
    ada, bo = two_sources("G/20;d3")
    adjusted(bo, 1650.0)  # the start of both has changed, so it is written again
    replayed()
    section = Calculation.objects.get(section__isnull=False, is_current=True)
    assert (section.system, hasattr(section, "inputs")) == ("OTBQ", False)
    rating_input, _rules = inputs_of(section)
    brought = {
        one.id: [held.rating for held in one.sources]
        for one in rating_input.competitors
    }
    assert brought == {ada.pk: [1500.0], bo.pk: [1650.0]}
    call_command("audit", full=True)
