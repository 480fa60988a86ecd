"""Stored counts equal those of counting the members one by one."""

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
from ratings.ledger.queries.published_ratings import published
from ratings.lists.queries.classes import counts
from ratings.lists.queries.histograms import (
    AGES,
    Activity,
    RatingFilter,
    RatingsCounted,
    distribution_of,
    histogram_for,
)
from ratings.lists.services.rating_counts import count_ratings
from ratings.models import CountedRatings, PlayerRating
from ratings.pages.my_data.services import delete_member_data
from ratings.rerates.services.publishing import publish_rerate
from ratings.rerates.services.start import start_rerate
from ratings_site.common.jobs.services import run_due_jobs
from ratings_site.common.models import Job
from tests.events.corrections.samples import make_section, request_correction
from tests.factories import (
    event_report,
    make_player,
    make_td,
    make_user,
    merge_with_approval,
    rated_event,
    rated_section,
    section_report,
    swiss_rows,
)
from tests.ratings.lists import helpers
from tests.ratings.previews.corrections.test_effects import approve
from tests.ratings.rerates.factories import undo_published

pytestmark = [pytest.mark.django_db, pytest.mark.calendar]

Counts = dict[tuple[str, str, str, str, str], list[int]]


def counted_by_query() -> Counts:
    """Return the published ratings of every group, member by member."""
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


def stored_counts() -> Counts:
    return {
        (row.system, row.standing, row.activity, row.of, row.group): sorted(
            int(whole) for whole, people in row.ratings.items() for _ in range(people)
        )
        for row in CountedRatings.objects.all()
    }


def assert_counted() -> Counts:
    count_ratings()
    found = counted_by_query()
    assert stored_counts() == found
    for row in CountedRatings.objects.all():
        ratings = found[row.system, row.standing, row.activity, row.of, row.group]
        assert row.people == len(ratings)
        assert row.mean == pytest.approx(sum(ratings) / (len(ratings) or 1))
        quartiles = [row.lower_quartile, row.median, row.upper_quartile]
        assert quartiles == [_reached_by(ratings, part) for part in (1, 2, 3)]
    return found


def _reached_by(ratings: list[int], quarters: int) -> int:
    return ratings[-(-len(ratings) * quarters // 4) - 1] if ratings else 0


def test_counts_match_the_ledger_after_any_change():
    """Ratings, newcomers, correction, rerate, undo, list, merge, move, deletion."""
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

    approve(request_correction(section, td))
    run = start_rerate(actor=None, reason="Corrections.")
    run_due_jobs()
    publish_rerate(run_id=run.pk, actor=None, reason="Looked at.")
    seen.append(assert_counted())

    undo_published(run, manager)
    seen.append(assert_counted())

    helpers.published(date(2024, 7, 1))
    merge_with_approval(
        people[1], make_player(ratings={"OTBQ": (1444.0, 12)}, state="TX")
    )
    seen.append(assert_counted())

    Player.objects.filter(pk=people[0].pk).update(state="IL")
    seen.append(assert_counted())

    delete_member_data(player_id=people[2].pk, actor=manager, reason="Asked for.")
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
        assert "Updated May 4, 2026, 10:30 AM CT." in page or (
            "Updated May 4, 2026, 3:30 PM UTC." in page
        )
    filled = [one.name for one in counts(System.OTBR, "").classes if one.members]
    assert filled == ["Class C"]
    ohio = RatingFilter(System.OTBR, state="OH")
    assert distribution_of(ohio).histogram.ratings == {1512: 1}
    assert (
        distribution_of(RatingFilter(System.OTBR, state="IL")).histogram.ratings == {}
    )


def test_office_that_has_counted_nothing_counts_for_each_page():
    make_player(ratings={"OTBR": (1512.0, 40)})
    assert histogram_for(RatingFilter(System.OTBR))[0].ratings == {1512: 1}
    make_player(ratings={"OTBR": (1513.0, 40)})
    assert histogram_for(RatingFilter(System.OTBR))[0].ratings == {1512: 1, 1513: 1}


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
        run_due_jobs()
        assert counting_jobs() == []
        assert sum(histogram_for(RatingFilter(System.OTBR))[0].ratings.values()) == 8
        run = start_rerate(actor=None, reason="From nothing.", whole_history=True)
        run_due_jobs()
        publish_rerate(run_id=run.pk, actor=None, reason="Looked at.")
        assert counting_jobs() == ["2026-05-04 15:40"]
    with time_machine.travel(datetime(2026, 5, 4, 15, 41, tzinfo=UTC), tick=False):
        run_due_jobs()
        assert counting_jobs() == []
        undo_published(run, manager)
        assert counting_jobs() == ["2026-05-04 15:45"]


@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite does not ask.")
def test_tables_are_looked_at_before_they_are_counted():
    rated_section(players=4)
    Job.objects.filter(kind="ratings.count_ratings").update(run_after=timezone.now())
    with CaptureQueriesContext(connection) as queries:
        run_due_jobs()
    request_correction = [query["sql"] for query in queries.captured_queries]
    looked, counted = (
        next(place for place, sql in enumerate(request_correction) if begin in sql)
        for begin in (
            "n_mod_since_analyze",
            '"ratings_playerrating"."published_rating" AS "published_rating"',
        )
    )
    assert looked < counted
