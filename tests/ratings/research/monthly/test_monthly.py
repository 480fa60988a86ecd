"""The monthly comparison: requested once a month, stored unchanged, public."""

import csv
import io
from dataclasses import replace
from datetime import UTC, date, datetime
from itertools import pairwise
from xml.etree import ElementTree

import pytest
import time_machine
from django.urls import reverse
from django.utils import timezone

from ratings.laboratory.protocol import Shape
from ratings.laboratory.registry import RUNNABLE
from ratings.models import Experiment
from ratings.research.experiments.plans import Variant
from ratings.research.experiments.services.lifecycle import (
    ExperimentRefused,
    withdraw_experiment,
)
from ratings.research.experiments.variant_names import variant_name
from ratings.research.monthly import services as standing
from ratings.research.monthly.queries import (
    MonthlyComparison,
    RankedSystem,
    monthly_comparisons,
    monthly_experiments,
)
from ratings.research.monthly.services import (
    due_month,
    request_monthly_comparison,
    systems_for,
)
from ratings.research.monthly.tasks import COMPARE
from ratings_site.common.jobs import nightly
from ratings_site.common.jobs.services import enqueue, run_due_jobs
from ratings_site.common.models import Job
from tests.factories import (
    event_report,
    make_player,
    make_td,
    rated_event,
    section_report,
    swiss_rows,
)
from tests.ratings.research.experiments.factories import committee_member

pytestmark = [pytest.mark.django_db, pytest.mark.calendar]

ATOM = "{http://www.w3.org/2005/Atom}"
FEW = ("uschess.2025_07", "glicko", "elo.logistic")
JUNE = date(2024, 6, 1)


def play(*days: date) -> None:
    """Rate a Swiss of ten known players on each of these days."""
    members = [make_player(ratings={"OTBR": (1500.0 + 30 * n, 40)}) for n in range(10)]
    td = make_td()
    for day in days:
        section = section_report(members, swiss_rows(10, 4))
        rated_event(td, event_report(td, [section], starts=day, ends=day))


@pytest.fixture(scope="module")
def books(module_data):
    """Eighteen months with an event each, the last of them June 2024."""
    play(
        *(date(2023, month, 15) for month in range(1, 13)),
        *(date(2024, month, 15) for month in range(1, 7)),
    )


@pytest.fixture
def few(monkeypatch) -> None:
    """Three systems are enough here."""
    monkeypatch.setattr(standing, "systems_for", lambda games: list(FEW))


def compared(month: date) -> Experiment:
    experiment = request_monthly_comparison(month)
    run_due_jobs()
    experiment.refresh_from_db()
    assert (experiment.status, experiment.message) == ("done", "")
    return experiment


# --- Asking ---


@pytest.mark.parametrize(
    ("today", "due"),
    [
        (date(2024, 7, 10), JUNE),
        (date(2024, 7, 9), date(2024, 5, 1)),
        (date(2024, 1, 10), date(2023, 12, 1)),
        (date(2024, 1, 1), date(2023, 11, 1)),
    ],
)
def test_month_is_due_on_the_tenth_of_the_next(today, due):
    assert due_month(today) == due


def test_the_newest_twelve_months_are_predicted_and_those_before_warm_up(books, few):
    done = compared(JUNE)
    plan = done.plan
    assert plan["chosen"]["first_day"] == "2021-07-01"
    assert plan["chosen"]["last_day"] == "2024-06-30"
    # Twelve events of twenty games; the six before them are there and not predicted.
    assert done.history.games == 18 * 20
    assert done.results["games"] == 12 * 20
    assert [one.system for one in done.variants.all()] == list(FEW)


def test_a_night_asks_once_and_later_nights_leave_it(books, few):
    assert COMPARE in nightly._kinds
    found = []
    for night in (11, 12):
        with time_machine.travel(datetime(2024, 7, night, 6, tzinfo=UTC), tick=False):
            enqueue(COMPARE, key=f"2024-07-{night}")
            run_due_jobs()
        found.append(Experiment.objects.values("pk", "results").get())
        play(date(2024, 6, 20))  # a late report
    assert found[0] == found[1]
    assert Experiment.objects.get().standing_month == JUNE
    assert Job.objects.filter(kind=COMPARE, state="done").count() == 2


def test_month_without_games_is_not_compared(books, few):
    assert request_monthly_comparison(date(2024, 7, 1)) is None
    assert not Experiment.objects.exists()


def test_killed_worker_leaves_what_is_done_and_another_goes_on(books, few, monkeypatch):
    from ratings.research.experiments.services import runner

    run = runner.run
    began = []

    def killed_at_the_second(system, *args, **kwargs):
        began.append(system.about.key)
        if len(began) == 2:
            raise KeyboardInterrupt
        return run(system, *args, **kwargs)

    monkeypatch.setattr(runner, "run", killed_at_the_second)
    experiment = request_monthly_comparison(JUNE)
    with pytest.raises(KeyboardInterrupt):
        run_due_jobs()
    assert experiment.variants.exclude(result=None).count() == 1
    assert not monthly_experiments().exists()
    Job.objects.update(state="queued")
    run_due_jobs()
    assert began == [FEW[0], FEW[1], FEW[1], FEW[2]]
    assert monthly_experiments().get() == experiment


@pytest.mark.parametrize(
    ("most_games", "first_day", "test_from"),
    [
        (18 * 20, "2021-07-01", "2023-07-01"),
        (18 * 20 - 1, "2023-07-01", "2024-01-01"),
        (6 * 20, "2024-01-01", "2024-04-01"),
        (1, "2024-04-01", "2024-06-01"),
    ],
)
def test_months_are_fewer_where_games_are_many(
    books, few, monkeypatch, most_games, first_day, test_from
):
    monkeypatch.setattr(standing, "MAX_GAMES", most_games)
    plan = request_monthly_comparison(JUNE).plan
    assert (plan["chosen"]["first_day"], plan["test_from"]) == (first_day, test_from)


def test_systems_that_rate_the_whole_pool_take_part_where_games_are_few():
    everything, bounded = systems_for(50_000), systems_for(50_001)
    assert everything == list(RUNNABLE)
    assert [key for key in everything if key not in bounded] == [
        key
        for key, system in RUNNABLE.items()
        if system.about.shape is Shape.WHOLE_POOL
    ]


def test_all_systems_have_something_in_common_to_be_compared_on(books):
    done = compared(JUNE)
    assert {one.system for one in done.variants.all()} == set(RUNNABLE)
    assert done.results["games"] > 0
    shown = monthly_comparisons(monthly_experiments())[0]
    bounds = [one.key for one in shown.systems if one.place is None]
    assert bounds == [one.key for one in shown.systems if one.is_upper_bound]
    candidates = [one for one in shown.systems if one.place]
    assert [one.place for one in candidates] == list(range(1, len(candidates) + 1))
    assert shown.best == candidates[0]


def test_full_queue_puts_it_off(books, few, monkeypatch):
    monkeypatch.setattr(
        "ratings.research.experiments.services.lifecycle.MAX_OPEN_EXPERIMENTS", 0
    )
    with pytest.raises(ExperimentRefused):
        request_monthly_comparison(JUNE)
    job = enqueue(COMPARE, key="2024-07-11")
    with time_machine.travel(datetime(2024, 7, 11, tzinfo=UTC), tick=False):
        Job.objects.update(run_after=datetime(2024, 7, 10, tzinfo=UTC))
        run_due_jobs(limit=1)
    job.refresh_from_db()
    assert job.state == "queued"


# --- Showing ---


@pytest.fixture(scope="module")
def three_months(books, module_data):
    kept = standing.systems_for
    standing.systems_for = lambda games: list(FEW)
    for month in (4, 5, 6):
        compared(date(2024, month, 1))
    standing.systems_for = kept


def test_page_shows_the_newest_month_as_the_experiment_has_it(client, three_months):
    newest = monthly_experiments().first()
    page = client.get(reverse("ratings:standing"))
    shown = page.context["shown"]
    assert (shown.test_from, shown.month) == (date(2023, 7, 1), JUNE)
    for ranked, record in zip(shown.systems, newest.results["variants"], strict=True):
        variant = newest.variants.get(number=record["number"])
        assert ranked.key == variant.system
        assert ranked.deviance == tuple(record["measures"]["scaled_deviance"][:3])
        assert f"{ranked.deviance[0]:.2f}" in page.content.decode()
    assert shown.reference.key == FEW[0]
    assert shown.verdict in page.content.decode()
    april, may = date(2024, 4, 1), date(2024, 5, 1)
    assert page.context["months"] == [JUNE, may, april]


@pytest.mark.parametrize(
    ("differ", "said"),
    [
        (
            [0, 0],
            "In these games, none of the 2 other systems predicts clearly better",
        ),
        ([0], "In these games, the other system predicts neither clearly better"),
        (
            [-1, 1, 1, 0],
            "1 of 4 other systems predicted clearly better than our rules and 2 "
            "clearly worse; the difference of 1 could be chance.",
        ),
    ],
)
def test_month_says_whether_anything_beats_our_rules(differ, said):
    """A bound, which has no place, is not a system that one could rate by."""
    one = RankedSystem(
        1, "elo.logistic", "Elo", 9, 9, (90.0, None, None), None, 0, None
    )
    others = [
        replace(one, place=number, against=(0.1, -1.0, 1.0), differs=differs)
        for number, differs in enumerate(differ, start=2)
    ]
    bound = replace(one, place=None, against=(-9.0, -9.5, -8.0), differs=-1)
    month = MonthlyComparison(
        JUNE, JUNE, 1, timezone.now(), 9, 9, [one, *others, bound]
    )
    assert month.verdict.startswith(said)


def test_month_before_stands_beside(three_months):
    months = monthly_comparisons(monthly_experiments())
    for later, earlier in pairwise(months):
        before = {one.key: one.deviance[0] for one in earlier.systems}
        assert {one.key: one.before for one in later.systems} == before
    assert {one.before for one in months[-1].systems} == {None}


def test_month_keeps_its_address(client, three_months):
    page = client.get(reverse("ratings:standing_of_month", args=["2024-05"]))
    assert page.context["shown"].month == date(2024, 5, 1)
    for month in ("2024-07", "2024-03"):
        address = reverse("ratings:standing_of_month", args=[month])
        assert client.get(address).status_code == 404


def test_empty_office_says_what_will_stand_here(client):
    page = client.get(reverse("ratings:standing")).content.decode()
    assert "The first comparison will appear here" in page


def test_taken_back_it_is_gone(client, three_months):
    newest = monthly_experiments().first()
    withdraw_experiment(
        experiment_id=newest.pk, actor=committee_member(), reason="A fault."
    )
    page = client.get(reverse("ratings:standing"))
    assert page.context["shown"].month == date(2024, 5, 1)


@pytest.mark.parametrize("number", [1, 3])
def test_pages_take_the_same_queries_for_any_number_of_months(
    client, three_months, django_assert_num_queries, number
):
    kept = monthly_experiments()[:number].values_list("pk", flat=True)
    Experiment.objects.exclude(pk__in=list(kept)).update(published_at=None)
    with django_assert_num_queries(3):
        client.get(reverse("ratings:standing"))
    with django_assert_num_queries(3):
        client.get(reverse("ratings:laboratory_feed"))
    with django_assert_num_queries(2):
        client.get(reverse("ratings:standing_csv"))


def test_file_has_every_system_of_every_month(client, three_months):
    text = client.get(reverse("ratings:standing_csv")).content.decode()
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [(row["month"], row["system"]) for row in rows] == [
        (f"{shown.month:%Y-%m}", ranked.key)
        for shown in reversed(monthly_comparisons(monthly_experiments()))
        for ranked in shown.systems
    ]
    newest = monthly_comparisons(monthly_experiments())[0]
    assert float(rows[-1]["scaled_deviance"]) == newest.systems[-1].deviance[0]


def test_feed_tells_each_month_who_predicts_best(client, three_months):
    response = client.get("/feeds/laboratory.atom")
    feed = ElementTree.fromstring(response.content)  # noqa: S314 (our own)
    entries = feed.findall(f"{ATOM}entry")
    months = monthly_comparisons(monthly_experiments())
    assert [one.findtext(f"{ATOM}id").rpartition("/")[2] for one in entries] == [
        "2024-06",
        "2024-05",
        "2024-04",
    ]
    assert entries[0].findtext(f"{ATOM}title") == (
        f"June 2024: {months[0].best.label} predicts best"
    )
    address = entries[0].find(f"{ATOM}link").get("href")
    assert address.endswith("/laboratory/standing/2024-06/")


def test_its_experiment_is_public(client, three_months):
    newest = monthly_experiments().first()
    page = client.get(newest.get_absolute_url()).content.decode()
    assert "Monthly comparison, June 2024" in page


def test_variant_of_a_system_that_is_gone_keeps_its_name(three_months):
    newest = monthly_experiments().first()
    newest.variants.filter(system="glicko").update(system="gone", label="Gone")
    shown = monthly_comparisons(monthly_experiments())[0]
    gone = next(one for one in shown.systems if one.key == "gone")
    assert (gone.label, gone.has_page) == ("Gone", False)
    assert variant_name(Variant("glicko")) != "Gone"


# As JSON


def test_json_of_the_months_is_what_the_pages_show(client, three_months):
    first = client.get("/api/v1/laboratory/standing?limit=2").json()
    second = client.get(first["next"]).json()
    assert second["next"] is None
    given = [*first["items"], *second["items"]]
    months = monthly_comparisons(monthly_experiments())
    assert [one["month"] for one in given] == ["2024-06", "2024-05", "2024-04"]
    for month, shown in zip(given, months, strict=True):
        assert [one["system"] for one in month["systems"]] == [
            one.key for one in shown.systems
        ]
        for one, ranked in zip(month["systems"], shown.systems, strict=True):
            assert tuple(one["scaled_deviance"].values()) == ranked.deviance
            assert (one["place"], one["predicted"]) == (ranked.place, ranked.predicted)
            assert (one["against_reference"] is None) == (ranked.against is None)
        assert client.get(month["page"]).context["shown"] == shown
    assert client.get("/api/v1/laboratory/standing/2024-05").json() == given[1]
    for month in ("2024-07", "2024-13", "newest"):
        answer = client.get(f"/api/v1/laboratory/standing/{month}")
        assert answer.status_code == 404


def test_json_of_an_experiment_has_its_table(client, three_months):
    newest = monthly_experiments().first()
    listed = client.get("/api/v1/laboratory/experiments").json()["items"]
    assert [one["number"] for one in listed] == [
        one.pk for one in Experiment.objects.order_by("-pk")
    ]
    shown = client.get(f"/api/v1/laboratory/experiments/{newest.pk}").json()
    assert {key: shown[key] for key in listed[0]} == listed[0]
    for one, record in zip(shown["variants"], newest.results["variants"], strict=True):
        assert one["number"] == record["number"]
        for key, estimate in record["measures"].items():
            assert list(one["measures"][key].values()) == estimate[:3]
    assert shown["files"] == []  # all begin with ratings of the ledger


def test_json_is_of_published_experiments_only(client, three_months):
    newest = monthly_experiments().first()
    withdraw_experiment(
        experiment_id=newest.pk, actor=committee_member(), reason="A fault."
    )
    address = f"/api/v1/laboratory/experiments/{newest.pk}"
    assert client.get(address).status_code == 404
    client.force_login(committee_member())
    assert client.get(address).status_code == 404


@pytest.mark.parametrize("number", [1, 3])
def test_json_takes_the_same_queries_for_any_number_of_months(
    client, three_months, django_assert_num_queries, number
):
    kept = monthly_experiments()[:number].values_list("pk", flat=True)
    Experiment.objects.exclude(pk__in=list(kept)).update(published_at=None)
    client.get("/api/v1/laboratory/standing")  # fills the cache
    with django_assert_num_queries(4):
        client.get("/api/v1/laboratory/standing")
    with django_assert_num_queries(2):
        client.get("/api/v1/laboratory/experiments")
