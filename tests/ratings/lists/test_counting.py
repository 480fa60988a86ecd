"""What pages show as counted is what somebody counts who goes through the books."""

from collections import defaultdict
from datetime import UTC, date, datetime, timedelta
from itertools import pairwise

import pytest
import time_machine
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from players.models import Player
from ratings.engine.systems import System
from ratings.ledger.queries.published import published
from ratings.lists.queries.classes import counts
from ratings.lists.queries.distribution import AGES, distribution_of
from ratings.lists.queries.spreads import Activity, Asked, RatingsCounted, spread_of
from ratings.lists.services.counting import count_ratings
from ratings.models import CountedRatings, PlayerRating
from ratings.my_data.services import forget_member
from ratings.rerates.services.publishing import publish_rerate
from ratings.rerates.services.starting import start_rerate
from ratings_site.common.jobs.services import work_off
from ratings_site.common.models import Job
from tests.events.corrections.samples import asked, make_section
from tests.factories import (
    event_report,
    make_player,
    make_td,
    make_user,
    merge_by_two,
    rated_event,
    rated_section,
    section_report,
    swiss_rows,
)
from tests.ratings.corrections.test_effects import approve
from tests.ratings.lists import helpers
from tests.ratings.rerates.offices import undone

pytestmark = [pytest.mark.django_db, pytest.mark.calendar]

Books = dict[tuple[str, str, str, str, str], list[int]]


def books() -> Books:
    """Go through the members one by one; of every group the published ratings."""
    found: defaultdict[tuple[str, str, str, str, str], list[int]] = defaultdict(list)
    for system in System:
        for standing in RatingsCounted:
            for activity in Activity:
                found[system, standing, activity, "all", ""] = []
    today = timezone.localdate()
    for player in Player.objects.exclude(status__in=["deceased", "duplicate"]):
        for row in PlayerRating.objects.filter(player=player):
            number = int(published(row))
            standing = "established" if row.games > 25 else "provisional"
            is_active = row.rated_on > today - timedelta(365)
            for one in ("", standing):
                for activity in ("", "year") if is_active else ("",):
                    place = row.system, one, activity
                    found[*place, "all", ""].append(number)
                    if player.state:
                        found[*place, "state", player.state].append(number)
            if player.birth_date:
                age = _age(player.birth_date, date(today.year, 1, 1))
                found[row.system, "", "", "ages", str(age)].append(number)
    return {key: sorted(ratings) for key, ratings in found.items()}


def _age(born: date, day: date) -> int:
    years = day.year - born.year - ((day.month, day.day) < (born.month, born.day))
    return max(
        place for place, first in enumerate(AGES) if place == 0 or first <= years
    )


def written() -> Books:
    return {
        (row.system, row.standing, row.activity, row.of, row.group): sorted(
            int(whole) for whole, people in row.ratings.items() for _ in range(people)
        )
        for row in CountedRatings.objects.all()
    }


def assert_counted() -> Books:
    count_ratings()
    found = books()
    assert written() == found
    for row in CountedRatings.objects.all():
        ratings = found[row.system, row.standing, row.activity, row.of, row.group]
        assert row.people == len(ratings)
        assert row.mean == pytest.approx(sum(ratings) / (len(ratings) or 1))
        quartiles = [row.lower_quartile, row.median, row.upper_quartile]
        assert quartiles == [_reached_by(ratings, part) for part in (1, 2, 3)]
    return found


def _reached_by(ratings: list[int], quarters: int) -> int:
    return ratings[-(-len(ratings) * quarters // 4) - 1] if ratings else 0


def test_counts_are_those_of_the_books_after_whatever_happened():
    """Ratings, newcomers, correction, rerate, undo, list, merge, move, farewell."""
    manager = make_user(is_staff=True, is_superuser=True)
    td = make_td()
    seen = [assert_counted()]

    helpers.newcomer_who_lost()
    seen.append(assert_counted())
    assert seen[-1]["OTBR", "", "", "all", ""][0] == 500  # 508, but still the start

    section = make_section(td)
    seen.append(assert_counted())

    people = [entry.player for entry in section.entries.all()]
    child = make_player(birth_date=date(2014, 3, 9), state="OH")
    later = section_report([*people[:3], child], swiss_rows(4, 3))
    june = {"starts": date(2024, 6, 1), "ends": date(2024, 6, 2)}
    rated_event(td, event_report(td, [later], **june))
    seen.append(assert_counted())

    approve(asked(section, td))
    run = start_rerate(actor=None, reason="Corrections.")
    work_off()
    publish_rerate(run_id=run.pk, actor=None, reason="Looked at.")
    seen.append(assert_counted())

    undone(run, manager)
    seen.append(assert_counted())

    helpers.published(date(2024, 7, 1))
    merge_by_two(people[1], make_player(ratings={"OTBQ": (1444.0, 12)}, state="TX"))
    seen.append(assert_counted())

    Player.objects.filter(pk=people[0].pk).update(state="IL")
    seen.append(assert_counted())

    forget_member(player_id=people[2].pk, actor=manager, reason="Asked for.")
    Player.objects.filter(pk=people[3].pk).update(status="deceased")
    seen.append(assert_counted())
    assert all(one != other for one, other in pairwise(seen))


def test_pages_show_what_was_counted_and_when(client):
    make_player(ratings={"OTBR": (1512.0, 40)}, state="OH")
    with time_machine.travel(datetime(2026, 5, 4, 15, 30, tzinfo=UTC), tick=False):
        count_ratings()
    make_player(ratings={"OTBR": (1999.0, 40)}, state="OH")
    for address in (
        *("/", "/classes/", "/classes/OTBR/class-c/"),
        *("/distribution/", "/distribution/?state=OH"),
    ):
        page = client.get(address).content.decode()
        assert "Counted on 4 May 2026 at 10:30 CDT." in page or (
            "Counted on 4 May 2026 at 15:30 UTC." in page
        )
    filled = [one.name for one in counts(System.OTBR, "").classes if one.members]
    assert filled == ["Class C"]
    ohio = Asked(System.OTBR, state="OH")
    assert distribution_of(ohio).spread.ratings == {1512: 1}
    assert distribution_of(Asked(System.OTBR, state="IL")).spread.ratings == {}


def test_office_that_has_counted_nothing_counts_for_each_page():
    make_player(ratings={"OTBR": (1512.0, 40)})
    assert spread_of(Asked(System.OTBR))[0].ratings == {1512: 1}
    make_player(ratings={"OTBR": (1513.0, 40)})
    assert spread_of(Asked(System.OTBR))[0].ratings == {1512: 1, 1513: 1}


def counting_jobs() -> list[str]:
    jobs = Job.objects.filter(kind="ratings.count_ratings", state="queued")
    return list(jobs.order_by("key").values_list("key", flat=True))


def test_what_moves_ratings_has_them_counted_at_the_next_five_minutes():
    manager = make_user(is_staff=True, is_superuser=True)
    with time_machine.travel(datetime(2026, 5, 4, 15, 32, tzinfo=UTC), tick=False):
        rated_section(players=4)
        rated_section(players=4)
        assert counting_jobs() == ["2026-05-04 15:35"]
    with time_machine.travel(datetime(2026, 5, 4, 15, 35, tzinfo=UTC), tick=False):
        work_off()
        assert counting_jobs() == []
        assert sum(spread_of(Asked(System.OTBR))[0].ratings.values()) == 8
        run = start_rerate(actor=None, reason="From nothing.", whole_history=True)
        work_off()
        publish_rerate(run_id=run.pk, actor=None, reason="Looked at.")
        assert counting_jobs() == ["2026-05-04 15:40"]
    with time_machine.travel(datetime(2026, 5, 4, 15, 41, tzinfo=UTC), tick=False):
        work_off()
        assert counting_jobs() == []
        undone(run, manager)
        assert counting_jobs() == ["2026-05-04 15:45"]


@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite does not ask.")
def test_tables_are_looked_at_before_they_are_counted():
    rated_section(players=4)
    Job.objects.filter(kind="ratings.count_ratings").update(run_after=timezone.now())
    with CaptureQueriesContext(connection) as queries:
        work_off()
    asked = [query["sql"] for query in queries.captured_queries]
    looked, counted = (
        next(place for place, sql in enumerate(asked) if begin in sql)
        for begin in (
            "n_mod_since_analyze",
            '"ratings_playerrating"."published_rating" AS "published_rating"',
        )
    )
    assert looked < counted
