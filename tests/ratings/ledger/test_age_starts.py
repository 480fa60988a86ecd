"""Which ratings still are a start by age, as they are rated and as a replay has it."""

from datetime import date

import pytest
from django.db import connection, transaction
from django.db.migrations.executor import MigrationExecutor

from ratings.ledger.queries.published import published, published_before
from ratings.ledger.services.rating import apply_adjustment
from ratings.models import Adjustment, PlayerRating, RatingChange
from ratings.rerates.services.auditing import audit_ledger
from ratings_site.common.looks.figures import About, in_words
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


class Career:
    """A child of eleven who plays one event a month against rated players."""

    def __init__(self, born: date | None = BORN) -> None:
        self.td = make_td()
        self.child = make_player(birth_date=born)
        self.events = 0

    def meet(self, results: str, ratings: list[float], **fields) -> None:
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
        """What the public reads after each event, and whether it is only "about"."""
        numbers = map(published, self.lines(system))
        return [(in_words(one), isinstance(one, About)) for one in numbers]


@pytest.fixture
def career():
    career = Career()
    yield career
    finding = audit_ledger()
    assert (finding.faults, finding.is_good) == ([], True)


def test_wins_and_losses_that_any_rating_balances_leave_the_start(career):
    """Wins over 105 and 150 and losses to 1300 and 1500 leave 583.03 as it is."""
    career.meet("WWLL", [105.0, 150.0, 1300.0, 1500.0])
    [line] = career.lines()
    assert line.post_rating == pytest.approx(START, abs=1e-9)
    assert career.published() == [TELLING]
    assert published_before(line) is None


def test_losses_to_much_stronger_opponents_leave_the_start(career):
    career.meet("LLL", [1000.0, 1100.0, 1200.0])
    assert career.published() == [TELLING]


def test_flag_goes_with_the_first_result_that_moves_the_number(career):
    career.meet("LLL", [1000.0, 1100.0, 1200.0])
    career.meet("LL", [1100.0, 1200.0])
    career.meet("WL", [600.0, 1100.0])
    career.meet("LL", [1900.0, 1900.0])
    moved = [(str(int(line.post_rating + 0.5)), False) for line in career.lines()[2:]]
    assert career.published() == [TELLING, TELLING, *moved]
    assert [published_before(line) for line in career.lines()] == [
        None,
        About(600),
        About(600),
        published(career.lines()[2]),
    ]
    assert abs(career.lines()[2].post_rating - START) > 10


def test_27_lost_games_and_two_more_are_still_the_start(career):
    career.meet("L" * 9, [1100.0 + n for n in range(9)])
    career.meet("L" * 9, [1200.0 + n for n in range(9)])
    career.meet("L" * 9, [1300.0 + n for n in range(9)])
    career.meet("LL", [1300.0, 1400.0])
    assert [line.post_games for line in career.lines()] == [9, 18, 27, 29]
    assert career.published() == [TELLING] * 4


def test_a_start_in_another_system_from_such_a_rating_is_about_too(career):
    """Lost all to opponents 400 above in Regular, then in Quick, which starts there."""
    career.meet("LLL", [1000.0, 1100.0, 1200.0])
    career.meet("LLL", [1000.0, 1100.0, 1200.0], time_control="G/15;d5")
    [quick] = career.lines("OTBQ")
    assert (quick.initial_games > 0, quick.initial_rating) == (True, 583.0)
    assert quick.age_start == career.lines()[0].post_rating
    assert career.published("OTBQ") == [TELLING]


@pytest.mark.parametrize(
    ("results", "rating", "near"), [("WWW", 400.0, 800), ("LLL", 600.0, 200)]
)
def test_only_wins_and_losses_to_near_opponents_are_public_facts(
    career, results, rating, near
):
    """All wins give the highest opponent + 400, all losses the lowest - 400.

    The opponents count as they are after step 4, a few points from where they were.
    """
    career.meet(results, [rating, rating, rating])
    [line] = career.lines()
    assert career.published() == [(str(int(line.post_rating + 0.5)), False)]
    assert abs(line.post_rating - near) < 15


def test_adults_and_members_with_other_ratings_start_from_what_tells_no_age():
    for born, rating in ((date(1990, 1, 1), None), (BORN, 1500.0)):
        career = Career(born)
        if rating:
            open_rating(career.child, "OTBQ", rating, 40)
        career.meet("LLL", [2100.0, 2200.0, 2300.0])
        [line] = career.lines()
        assert line.age_start is None
        assert isinstance(published(line), float)
        assert not isinstance(published(line), About)


@pytest.mark.parametrize(("points", "is_about"), [(0.9, True), (1.1, False)])
def test_an_adjustment_that_leaves_the_number_leaves_the_flag(points, is_about):
    career = Career()
    career.meet("LLL", [1000.0, 1100.0, 1200.0])
    adjustment = Adjustment.objects.create(
        player=career.child,
        system="OTBR",
        kind="reinstate",
        day=date(2024, 6, 1),
        rating=START + points,
        games=3,
        reason="The old book says so.",
        decided_by=make_staff(),
    )
    apply_adjustment(adjustment_id=adjustment.pk)
    row = PlayerRating.objects.get(player=career.child, system="OTBR")
    assert row.rating == pytest.approx(START + points)
    assert isinstance(published(row), About) == is_about
    assert audit_ledger().is_good


def test_database_publishes_the_same_numbers():
    career = Career()
    career.meet("LLL", [1000.49, 1100.5, 1200.51])
    rows = PlayerRating.objects.all()
    assert {row.pk: row.published_rating for row in rows} == {
        row.pk: int(published(row)) for row in rows
    }
    assert sum(isinstance(published(row), About) for row in rows) == 1


@pytest.mark.django_db(transaction=True)
def test_migration_marks_what_was_stored_without_it():
    """The lines of an office of before get the marks that rating them gives."""
    career = Career()
    career.meet("LLL", [1000.0, 1100.0, 1200.0])
    career.meet("LLL", [1000.0, 1100.0, 1200.0], time_control="G/15;d5")
    career.meet("LL", [1100.0, 1200.0])
    career.meet("WL", [600.0, 1100.0])
    columns = ("pk", "age_start", "pre_age_start")
    lines = sorted(RatingChange.objects.values_list(*columns))
    current = sorted(PlayerRating.objects.values_list("pk", "age_start"))
    assert sum(one is not None for _, one, _ in lines) == 3
    before = [("ratings", "0014_mark_blended_starts")]
    leaves = MigrationExecutor(connection).loader.graph.leaf_nodes()
    MigrationExecutor(connection).migrate(before)
    MigrationExecutor(connection).migrate(leaves)
    assert sorted(RatingChange.objects.values_list(*columns)) == lines
    assert sorted(PlayerRating.objects.values_list("pk", "age_start")) == current
    with pytest.raises(Exception, match="history"), transaction.atomic():
        RatingChange.objects.update(age_start=None)
