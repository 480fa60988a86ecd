"""Current ratings written column by column are those written one by one."""

import pytest
from django.db import connection
from django.db.models import Q

from events.models import Section
from ratings.models import Floor, PlayerRating, Run, ShadowRating
from ratings.rerates.services.publishing import discard_rerate
from ratings_site.common.database import binary_copy
from tests.factories import make_staff
from tests.ratings.rerates.test_rerate import (  # noqa: F401 (a fixture)
    APRIL,
    MARCH,
    office,
    rated_in_this_order,
    rerate,
)

pytestmark = pytest.mark.django_db

# No two runs have numbers of lines in common; only that there is one.
LINES = ("last_change_id", "first_change_id")
OWN = ("id", "run", *LINES)
COLUMNS = [
    field.attname
    for field in ShadowRating._meta.concrete_fields
    if field.name not in OWN
]


@pytest.fixture(autouse=True)
def _needs_columns(insist):
    if connection.vendor != "postgresql":
        pytest.skip("Columns are written on PostgreSQL only.")
    if not binary_copy.is_possible():
        assert not insist, "numpy is missing: make fast"
        pytest.skip("numpy is not installed")


def written_by(run: Run) -> tuple[list, dict]:
    ratings = ShadowRating.objects.filter(run=run).order_by("player", "system")
    summary = {name: run.summary[name] for name in run.summary if name != "sections"}
    has_line = {f"has_{name}": Q(**{f"{name}__isnull": False}) for name in LINES}
    return list(ratings.values(*COLUMNS, **has_line)), summary


@pytest.mark.parametrize("options", [{"whole_history": True}, {"from_day": APRIL}])
def test_both_ways_write_and_count_the_same(
    office,  # noqa: F811
    monkeypatch,
    options,
):
    """Among them a floor that was granted, and ratings that move and go."""
    rated_in_this_order(office, [0, 2, 1])
    _, players = office
    Floor.objects.create(
        player=players[0],
        system="OTBR",
        kind="office",
        level=1800,
        starts=MARCH,
        reason="Money.",
        granted_by=make_staff(),
    )
    # Who has played in April only is unrated without it.
    Section.objects.filter(ends=APRIL).update(status=Section.Status.READY)
    run = rerate(**options)
    column_by_column = written_by(run)
    discard_rerate(run_id=run.pk, actor=None, reason="Again.")
    monkeypatch.setattr(binary_copy, "is_possible", lambda: False)
    assert written_by(rerate(**options)) == column_by_column
    ratings, summary = column_by_column
    assert summary["floors"]["count"] > 0
    assert any(one["rating"] is None for one in ratings)


def test_ratings_begin_without_one_before(office, monkeypatch):  # noqa: F811
    """As in a replay of books that nobody has rated."""
    rated_in_this_order(office, [0, 2, 1])
    PlayerRating.objects.all().delete()
    run = rerate(whole_history=True)
    column_by_column = written_by(run)
    discard_rerate(run_id=run.pk, actor=None, reason="Again.")
    monkeypatch.setattr(binary_copy, "is_possible", lambda: False)
    assert written_by(rerate(whole_history=True)) == column_by_column
    assert {one["before"] for one in column_by_column[0]} == {None}
    assert column_by_column[1]["started"]
