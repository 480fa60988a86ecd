"""Ratings that still are an age-based start, in incremental rating and in a replay."""

from datetime import date

import pytest
from django.db import connection, transaction
from django.db.migrations.executor import MigrationExecutor

from ratings.ledger.queries.published_ratings import published, published_before
from ratings.ledger.services.rating import apply_adjustment
from ratings.models import Adjustment, PlayerRating, RatingChange
from ratings.rerates.services.audit import audit_ledger
from ratings_site.common.ui.formatting import ApproximateRating, format_rating
from tests.factories import (
    event_report,
    make_player,
    make_staff,
    make_td,
    open_rating,
    rated_event,
    section_report,
)

pytestmark = pytest.mark.django_db

# 583.0253 points on 5 May 2024, the last day of the first event: 4,259 days at 50
# points for each 365.25 of them.
BORN = date(2012, 9, 6)
START = 50 * 4259 / 365.25
TELLING = ("about 600", True)


class NewcomerHistory:
    """A child of eleven who plays one event a month against rated players."""

    def __init__(self, born: date | None = BORN) -> None:
        self.td = make_td()
        self.child = make_player(birth_date=born)
        self.events = 0

    def play_against(self, results: str, ratings: list[float], **fields) -> None:
        """Play each opponent once; no other game is played."""
        opponents = []
        for rating in ratings:
            opponents.append(make_player(ratings={"OTBR": (rating, 40)}))
            open_rating(opponents[-1], "OTBQ", rating, 40)
        mirror = {"W": "L", "L": "W", "D": "D"}
        own = " ".join(f"{one}{at}" for at, one in enumerate(results, start=2))
        others = [
            " ".join(
                f"{mirror[one]}1" if at == place else "H" for at in range(len(results))
            )
            for place, one in enumerate(results)
        ]
        starts = date(2024, 5, 4) if not self.events else date(2024, 6 + self.events, 1)
        self.events += 1
        section = section_report([self.child, *opponents], [own, *others], **fields)
        ends = date(2024, 5, 5) if self.events == 1 else starts
        report = event_report(self.td, [section], starts=starts, ends=ends)
        rated_event(self.td, report)

    def lines(self, system: str = "OTBR") -> list[RatingChange]:
        lines = RatingChange.objects.filter(
            player=self.child, calculation__system=system
        )
        return list(lines.order_by("post_games"))

    def published(self, system: str = "OTBR") -> list[tuple[str, bool]]:
        """The public rating after each event, and whether it is only "about"."""
        numbers = map(published, self.lines(system))
        return [
            (format_rating(one), isinstance(one, ApproximateRating)) for one in numbers
        ]


@pytest.fixture
def newcomer_history():
    newcomer_history = NewcomerHistory()
    yield newcomer_history
    finding = audit_ledger()
    assert (finding.faults, finding.is_good) == ([], True)


def test_wins_and_losses_that_any_rating_balances_leave_the_start(newcomer_history):
    """Wins over 105 and 150 and losses to 1300 and 1500 leave 583.03 unchanged."""
    newcomer_history.play_against("WWLL", [105.0, 150.0, 1300.0, 1500.0])
    [line] = newcomer_history.lines()
    assert line.post_rating == pytest.approx(START, abs=1e-9)
    assert newcomer_history.published() == [TELLING]
    assert published_before(line) is None


def test_losses_to_much_stronger_opponents_leave_the_start(newcomer_history):
    newcomer_history.play_against("LLL", [1000.0, 1100.0, 1200.0])
    assert newcomer_history.published() == [TELLING]


def test_flag_goes_with_the_first_result_that_moves_the_number(newcomer_history):
    newcomer_history.play_against("LLL", [1000.0, 1100.0, 1200.0])
    newcomer_history.play_against("LL", [1100.0, 1200.0])
    newcomer_history.play_against("WL", [600.0, 1100.0])
    newcomer_history.play_against("LL", [1900.0, 1900.0])
    moved = [
        (str(int(line.post_rating + 0.5)), False)
        for line in newcomer_history.lines()[2:]
    ]
    assert newcomer_history.published() == [TELLING, TELLING, *moved]
    assert [published_before(line) for line in newcomer_history.lines()] == [
        None,
        ApproximateRating(600),
        ApproximateRating(600),
        published(newcomer_history.lines()[2]),
    ]
    assert abs(newcomer_history.lines()[2].post_rating - START) > 10


def test_27_lost_games_and_two_more_are_still_the_start(newcomer_history):
    newcomer_history.play_against("L" * 9, [1100.0 + n for n in range(9)])
    newcomer_history.play_against("L" * 9, [1200.0 + n for n in range(9)])
    newcomer_history.play_against("L" * 9, [1300.0 + n for n in range(9)])
    newcomer_history.play_against("LL", [1300.0, 1400.0])
    assert [line.post_games for line in newcomer_history.lines()] == [9, 18, 27, 29]
    assert newcomer_history.published() == [TELLING] * 4


def test_a_start_in_another_system_from_such_a_rating_is_about_too(newcomer_history):
    """Lost all to opponents 400 above in Regular, then in Quick, which starts there."""
    newcomer_history.play_against("LLL", [1000.0, 1100.0, 1200.0])
    newcomer_history.play_against(
        "LLL", [1000.0, 1100.0, 1200.0], time_control="G/15;d5"
    )
    [quick] = newcomer_history.lines("OTBQ")
    assert (quick.initial_games > 0, quick.initial_rating) == (True, 583.0)
    assert quick.age_start == newcomer_history.lines()[0].post_rating
    assert newcomer_history.published("OTBQ") == [TELLING]


@pytest.mark.parametrize(
    ("results", "rating", "near"), [("WWW", 400.0, 800), ("LLL", 600.0, 200)]
)
def test_only_wins_and_losses_to_near_opponents_are_public_facts(
    newcomer_history, results, rating, near
):
    """All wins give the highest opponent + 400, all losses the lowest - 400.

    The opponents count as they are after step 4, a few points from where they were.
    """
    newcomer_history.play_against(results, [rating, rating, rating])
    [line] = newcomer_history.lines()
    assert newcomer_history.published() == [(str(int(line.post_rating + 0.5)), False)]
    assert abs(line.post_rating - near) < 15


def test_adults_and_members_with_other_ratings_start_from_what_tells_no_age():
    for born, rating in ((date(1990, 1, 1), None), (BORN, 1500.0)):
        newcomer_history = NewcomerHistory(born)
        if rating:
            open_rating(newcomer_history.child, "OTBQ", rating, 40)
        newcomer_history.play_against("LLL", [2100.0, 2200.0, 2300.0])
        [line] = newcomer_history.lines()
        assert line.age_start is None
        assert isinstance(published(line), float)
        assert not isinstance(published(line), ApproximateRating)


@pytest.mark.parametrize(("points", "is_about"), [(0.9, True), (1.1, False)])
def test_an_adjustment_that_leaves_the_number_leaves_the_flag(points, is_about):
    newcomer_history = NewcomerHistory()
    newcomer_history.play_against("LLL", [1000.0, 1100.0, 1200.0])
    adjustment = Adjustment.objects.create(
        player=newcomer_history.child,
        system="OTBR",
        kind="reinstate",
        day=date(2024, 6, 1),
        rating=START + points,
        games=3,
        reason="The old book says so.",
        decided_by=make_staff(),
    )
    apply_adjustment(adjustment_id=adjustment.pk)
    row = PlayerRating.objects.get(player=newcomer_history.child, system="OTBR")
    assert row.rating == pytest.approx(START + points)
    assert isinstance(published(row), ApproximateRating) == is_about
    assert audit_ledger().is_good


def test_database_publishes_the_same_numbers():
    newcomer_history = NewcomerHistory()
    newcomer_history.play_against("LLL", [1000.49, 1100.5, 1200.51])
    rows = PlayerRating.objects.all()
    assert {row.pk: row.published_rating for row in rows} == {
        row.pk: int(published(row)) for row in rows
    }
    assert sum(isinstance(published(row), ApproximateRating) for row in rows) == 1


@pytest.mark.gate
@pytest.mark.django_db(transaction=True)
def test_migration_flags_older_lines(all_migrations):
    """The migrated lines of an older installation get the flags that rating gives."""
    newcomer_history = NewcomerHistory()
    newcomer_history.play_against("LLL", [1000.0, 1100.0, 1200.0])
    newcomer_history.play_against(
        "LLL", [1000.0, 1100.0, 1200.0], time_control="G/15;d5"
    )
    newcomer_history.play_against("LL", [1100.0, 1200.0])
    newcomer_history.play_against("WL", [600.0, 1100.0])
    columns = ("pk", "age_start", "pre_age_start")
    lines = sorted(RatingChange.objects.values_list(*columns))
    current = sorted(PlayerRating.objects.values_list("pk", "age_start"))
    assert sum(one is not None for _, one, _ in lines) == 3
    before = [("ratings", "0014_mark_blended_starts")]
    MigrationExecutor(connection).migrate(before)
    MigrationExecutor(connection).migrate(all_migrations)
    assert sorted(RatingChange.objects.values_list(*columns)) == lines
    assert sorted(PlayerRating.objects.values_list("pk", "age_start")) == current
    with pytest.raises(Exception, match="history"), transaction.atomic():
        RatingChange.objects.update(age_start=None)
