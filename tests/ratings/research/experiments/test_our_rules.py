"""Our own rules on our own ledger: the real program, its control and variants."""

import csv
import gzip
import io
import json
import math
import re
from array import array
from datetime import date
from io import StringIO
from operator import eq

import pytest
from django.core.management import call_command
from django.db import transaction

from ratings.engine.rules import DEFAULT_EDITION
from ratings.engine.rules import EDITIONS as RULES_EDITIONS
from ratings.engine.standard import winning_expectancy
from ratings.engine.variation.variables import CATALOG
from ratings.engine.variation.variations import Change, Variation
from ratings.laboratory.our_rules import (
    Control,
    FinalStandings,
    Level,
    Members,
    RatedGames,
    Replay,
    RulesResult,
)
from ratings.laboratory.rule_effects import (
    ACTIVE,
    NOT_ACTIVE,
    Floors,
    rule_effects,
)
from ratings.models import Experiment, RatingChange, RerateMark
from ratings.rerates.services.players import SYSTEM_NAMES
from ratings.research.experiments.services import ledger_replay_job
from ratings.research.experiments.services.ledger_replay import (
    LedgerSources,
    replay_ledger,
)
from ratings.research.experiments.services.lifecycle import (
    cancel_experiment,
    publish_experiment,
)
from ratings.research.experiments.services.our_rules import counted
from ratings_site.common.jobs.services import run_due_jobs
from ratings_site.common.models import Job
from ratings_site.common.ui.formatting import long_day
from tests.factories import make_user
from tests.ratings.rerates.test_any_history import World, rerate
from tests.ratings.rerates.test_audit import forge
from tests.ratings.research.experiments.factories import committee_member

pytestmark = pytest.mark.django_db

MID = date(2024, 1, 1)


@pytest.fixture(scope="module")
def anything(django_db_setup, django_db_blocker):
    """An office to which 40 things have happened, all of them rated."""
    with django_db_blocker.unblock(), transaction.atomic():
        world = World(5)
        for _ in range(40):
            world.anything()
        if RerateMark.objects.filter(run=None).exists():
            rerate()
        yield world
        transaction.set_rollback(True)


@pytest.mark.parametrize("from_day", [None, MID])
@pytest.mark.usefixtures("anything")
def test_the_unchanged_rules_reproduce_the_ledger_exactly(from_day):
    found = replay_ledger(LedgerSources.read(from_day), compare_ledger=True)
    lines = RatingChange.objects.filter(calculation__is_current=True)
    if from_day:
        lines = lines.filter(calculation__order_date__gte=from_day)
    assert (found.control.lines, found.control.equal) == (lines.count(),) * 2
    assert found.control.holds
    assert lines.count() > 30


def lines_of(found, day, *, before):
    return [
        (game, prediction)
        for game, prediction in enumerate(found.replay.predictions)
        if (found.played.day[game] < day) is before
    ]


@pytest.mark.usefixtures("anything")
def test_rules_varied_for_some_days_change_nothing_before_them():
    sources = LedgerSources.read()
    control = replay_ledger(sources)
    varied = replay_ledger(sources, Variation((Change("k", 1.5, MID),)))
    assert control.played == varied.played
    cut = MID.toordinal()
    assert str(lines_of(control, cut, before=True)) == str(
        lines_of(varied, cut, before=True)
    )
    assert control.replay.ended.rating != varied.replay.ended.rating


@pytest.mark.usefixtures("anything")
def test_a_game_is_predicted_from_the_ratings_before_its_section():
    found = replay_ledger(LedgerSources.read())
    lines = RatingChange.objects.filter(
        calculation__is_current=True,
        calculation__system="OTBR",
        calculation__section__isnull=False,
    )
    before = {
        (line.calculation.order_date.toordinal(), line.player_id): line.pre_rating
        for line in lines.select_related("calculation")
    }
    members = LedgerSources.read().members()
    known = 0
    for game, day in enumerate(found.played.day):
        one, other = (
            before[day, members.ids[column[game]]]
            for column in (found.played.one, found.played.other)
        )
        prediction = found.replay.predictions[game]
        if one is None or other is None:
            assert math.isnan(prediction)
            continue
        # Two sections of a day may have one member; the day then names the later.
        known += prediction == winning_expectancy(one, other)
    assert known > 20


@pytest.mark.usefixtures("anything")
def test_every_game_of_a_rated_section_is_there_once():
    found = replay_ledger(LedgerSources.read())
    lines = RatingChange.objects.filter(
        calculation__is_current=True,
        calculation__system="OTBR",
        calculation__section__isnull=False,
    )
    games = sum(lines.values_list("games", flat=True))
    assert 2 * (len(found.played.one) + found.one_sided) == games
    halves = sum(lines.values_list("half_points", flat=True))
    if not found.one_sided:
        assert 2 * len(found.played.one) == halves
    assert SYSTEM_NAMES[0] == "OTBR"


@pytest.mark.usefixtures("anything")
@pytest.mark.parametrize("from_day", [None, MID])
def test_games_count_with_evidence_of_both_members(from_day):
    """They are those that a rating rests on, before the replay as well."""
    sources = LedgerSources.read(from_day)
    played = replay_ledger(sources, compare_ledger=True).played
    members = sources.members()
    lines = RatingChange.objects.filter(
        calculation__is_current=True,
        calculation__system="OTBR",
        calculation__section__isnull=False,
    ).order_by("calculation__order_date", "-pk")
    had = {
        (pk, day.toordinal()): games
        for pk, games, day in lines.values_list(
            "player_id", "pre_games", "calculation__order_date"
        )
    }
    expected = [
        min(had[members.ids[one], day], had[members.ids[other], day])
        for one, other, day in zip(played.one, played.other, played.day, strict=True)
    ]
    # Two sections of a day may have one member; the day then names one of them.
    assert sum(map(eq, played.evidence, expected)) > 0.9 * len(expected)
    counts = list(counted(played, 0, 5))
    assert counts == [games >= 5 for games in played.evidence]
    assert 0 < sum(counts) < len(counts)


def run_command(*options):
    """Return what the command prints as JSON, and its exit status."""
    out, status = StringIO(), 0
    try:
        call_command(
            *("laboratory", "run", "--books", "--json", "--least-games", "0"),
            *options,
            stdout=out,
            stderr=out,
        )
    except SystemExit as stopped:
        status = stopped.code
    return out.getvalue(), status


@pytest.mark.usefixtures("anything")
def test_the_command_first_checks_that_the_rules_reproduce_the_ledger():
    text, status = run_command("--vary", "k=1.5", "--vary", "bonus_given=off", "k=0.5")
    found = json.loads(text.splitlines()[-1])
    lines = RatingChange.objects.filter(calculation__is_current=True).count()
    assert status == 0
    assert (found["control"]["lines"], found["control"]["equal"]) == (lines, lines)
    sentence, values = found["words"][0]
    assert sentence.format(**values) == (
        "Check passed: replaying the actual rules reproduces the rating changes on "
        f"record, {lines} of {lines} exactly."
    )
    assert found["labels"] == [
        "Actual rules",
        "K multiplier = 1.5",
        "Bonus points off and K multiplier = 0.5",
    ]
    assert [one["number"] for one in found["effects"]] == [2, 3]


@pytest.mark.usefixtures("anything")
def test_a_ledger_that_is_not_reproduced_gets_no_verdict():
    line = RatingChange.objects.filter(calculation__is_current=True).latest("pk")
    forged = line.post_rating + 300
    with transaction.atomic():
        forge(line, post_rating=forged)
        text, status = run_command("--vary", "k=1.5")
        transaction.set_rollback(True)
    found = json.loads(text.splitlines()[-1])
    assert status == 1
    assert found["control"]["lines"] - found["control"]["equal"] == 1
    assert len(found["control"]["faults"]) == 1
    assert "comparison" not in found
    assert found["effects"] == []
    assert "no results" in found["words"][0][0]


@pytest.mark.usefixtures("anything")
def test_what_was_finished_before_a_kill_is_taken_from_the_folder(tmp_path):
    options = ("--vary", "k=1.5", "--resume", str(tmp_path))
    first, _status = run_command(*options)
    kept = sorted(tmp_path.iterdir())
    kept[0].rename(kept[0].with_suffix(".1"))  # as a killed run leaves one behind
    again, _status = run_command(*options)
    assert again.count("already done") == 1
    assert again.splitlines()[-1] == first.splitlines()[-1]
    assert sorted(tmp_path.glob("*.replay")) == kept


def test_effects_are_counted_by_class_age_state_and_activity():
    """Four members: one gains 100, one loses a class, one is idle, one is unrated."""
    day = date(2024, 6, 1).toordinal()

    def replay(ratings, peaks, floors):
        ended = FinalStandings(
            array("d", ratings),
            array("i", [30] * 4),
            array("d", peaks),
            array("d", floors),
            array("i", [day, day - 10, day - 400, 0]),
        )
        levels = (Level(day, 2, ratings[0], 1.0, 0.0),)
        none = array("d")
        return Replay("x", Variation(), none, none, none, ended, levels)

    nan = math.nan
    answer = RulesResult(
        "OTBR",
        Control(3, 3),
        RatedGames.empty(),
        Members(array("q", [7, 8, 9, 10]), array("i", [2010, 0, 1950, 0]), "AABB"),
        [
            replay(
                [1500, 1605, 900, nan], [1590, 1605, nan, nan], [1300, 1400, 100, 0]
            ),
            replay(
                [1600, 1595, 900, nan], [1650, 1595, nan, nan], [1400, 1300, 100, 0]
            ),
        ],
    )
    found = rule_effects(answer, 1)
    assert [(one.low, one.players, one.gained, one.lost) for one in found.classes] == [
        (800, 1, 0, 0),
        (1400, 1, 1, 0),
        (1600, 1, 0, 1),
    ]
    assert [(one.low, one.high, one.players) for one in found.ages] == [
        (13, 16, 1),
        (65, None, 1),
        (None, None, 1),
    ]
    assert {name: one.players for name, one in found.states.items()} == {"A": 2, "B": 1}
    assert {name: one.players for name, one in found.activity.items()} == {
        ACTIVE: 2,
        NOT_ACTIVE: 1,
    }
    moves = {one.name: (one.reached, one.lost) for one in found.reached}
    # The first now has a peak in Class B, the second's fell to Class C.
    assert {name: move for name, move in moves.items() if any(move)} == {
        "Class B": (1, 1)
    }
    assert found.floors == Floors(higher=1, lower=1, same=2)
    assert (found.movers, found.noticed, found.median_move) == (2, 1, 55)


# --- In the pages ---


class PowerCut(BaseException):
    """The machine is gone in the middle of the work."""


IN_WORDS = "K multiplier = 1.5 and lower K above 2200 in dual-rated sections off"
FORM = {
    "title": "K half as large again?",
    "system": "OTBR",
    "least_games": "0",
    "rule-k": "1.5",
    "rule-lower_k": "off",
    "reason": "The committee wants to know.",
}
NEW = "/laboratory/experiments/new/?kind=our_rules"


@pytest.fixture
def committee(client, anything):
    member = committee_member()
    client.force_login(member)
    return member


@pytest.mark.usefixtures("committee")
def test_the_pages_ask_and_answer_with_the_control_on_top(client):
    response = client.post(NEW, FORM)
    assert response.status_code == 302, response.context["form"].errors
    run_due_jobs()
    experiment = Experiment.objects.latest("pk")
    assert experiment.status == "done", experiment.message
    lines = RatingChange.objects.filter(calculation__is_current=True).count()
    page = client.get(experiment.get_absolute_url()).content.decode()
    assert (
        "Check passed: replaying the actual rules reproduces the rating changes on "
        f"record, {lines} of {lines} exactly."
    ) in page
    assert IN_WORDS in page
    verdict = page.partition('id="verdict">')[2].partition("</div>")[0]
    # What predicted better, and what became of ratings.
    assert verdict.count("<p>") == 2
    # A replay has no training, and does not count players at a floor.
    for absent in ("Rating period", "At floor", "By class over time"):
        assert absent not in page
    text, _status = run_command("--vary", "k=1.5", "lower_k=off")
    told = json.loads(text.splitlines()[-1])
    assert experiment.results["our_rules"]["effects"] == told["effects"]
    assert experiment.results["variants"] == told["comparison"]["variants"]
    sheet = client.get(f"{experiment.get_absolute_url()}data/classes-2.csv")
    assert b"class,before,after,reached,lost" in sheet.content
    data = client.get(f"{experiment.get_absolute_url()}data/").content.decode()
    assert "k=1.5, lower_k=off" in data or "predictions" in data


@pytest.mark.usefixtures("committee")
@pytest.mark.parametrize("least_games", ["0", "5"])
def test_a_replay_gives_its_data_out_game_by_game(client, least_games):
    client.post(NEW, {**FORM, "least_games": least_games})
    run_due_jobs()
    experiment = Experiment.objects.latest("pk")
    if least_games == "0":  # as in experiments that stored no evidence
        experiment.variants.update(replay=b"of another form")
    address = f"{experiment.get_absolute_url()}data/"
    lines = {
        name: lines_of_file(client.get(f"{address}{name}.csv.gz").getvalue())
        for name in ("variants", "games", "predictions-1", "ratings")
    }
    compared = {one["game"] for one in lines["games"] if one["compared"] == "true"}
    assert len(compared) == experiment.results["games"]
    assert compared <= {one["game"] for one in lines["predictions-1"]}
    [reference] = [one for one in lines["variants"] if one["reference"] == "true"]
    assert (reference["variant"], reference["parameters"]) == ("1", "[]")
    assert {one["variant"] for one in lines["ratings"]} == {"1", "2"}
    publish_experiment(
        experiment_id=experiment.pk,
        actor=committee_member(),
        public_title="K half as large again?",
        reason="Everybody asked.",
    )
    client.logout()
    shown = client.get(f"/api/v1/laboratory/experiments/{experiment.pk}").json()
    assert [one["system"] for one in shown["variants"]] == ["books", "books"]
    assert shown["files"] == []  # they reveal initial ratings
    assert client.get(f"{address}games.csv.gz").status_code == 404


def lines_of_file(content: bytes) -> list[dict[str, str]]:
    text = gzip.decompress(content).decode()
    return list(csv.DictReader(io.StringIO(text, newline="")))


@pytest.mark.usefixtures("committee")
@pytest.mark.parametrize(
    ("changes", "field", "sentence"),
    [
        ({"rule-k": "-1"}, "rule-k", "k: -1 must be more than 0."),
        ({"rule-bonus": "12, 0"}, "rule-bonus", "bonus: 0 must be more than 0."),
        (
            {"rule-k": "", "rule-lower_k": ""},
            "__all__",
            "Change at least one rule or the edition.",
        ),
        (
            {"varied_from": "2024-02-01", "varied_until": "2024-01-01"},
            "varied_until",
            "This is before the first day.",
        ),
    ],
)
def test_the_form_refuses_what_makes_no_sense(client, changes, field, sentence):
    response = client.post(NEW, FORM | changes)
    assert response.status_code == 422
    assert response.context["form"].errors[field] == [sentence]
    assert not Experiment.objects.exists()


@pytest.mark.usefixtures("committee")
def test_the_form_offers_all_that_may_be_varied(client):
    page = client.get(NEW).content.decode()
    assert all(f'name="rule-{name}"' in page for name in CATALOG)


@pytest.mark.usefixtures("committee")
def test_a_killed_experiment_goes_on_after_the_control(client, monkeypatch):
    replays = []

    def cut(*args, **kwargs):
        replays.append(kwargs["label"])
        if len(replays) == 2:
            raise PowerCut
        return replay_ledger(*args, **kwargs)

    monkeypatch.setattr(ledger_replay_job, "replay_ledger", cut)
    client.post(NEW, FORM)
    with pytest.raises(PowerCut):
        run_due_jobs()
    experiment = Experiment.objects.latest("pk")
    done = [one.result is not None for one in experiment.variants.all()]
    assert done == [True, False]
    assert experiment.results is None
    Job.objects.filter(key=str(experiment.pk)).update(state="queued")
    run_due_jobs()
    experiment.refresh_from_db()
    assert experiment.status == "done", experiment.message
    assert replays == ["Actual rules", IN_WORDS, IN_WORDS]


@pytest.mark.usefixtures("committee")
def test_a_replay_that_was_canceled_leaves_nothing_half(client, monkeypatch):
    def canceled(*args, **kwargs):
        experiment = Experiment.objects.latest("pk")
        if kwargs["label"] == IN_WORDS and experiment.status == "running":
            cancel_experiment(experiment_id=experiment.pk, actor=None, reason="Enough.")
        return replay_ledger(*args, **kwargs)

    monkeypatch.setattr(ledger_replay_job, "replay_ledger", canceled)
    client.post(NEW, FORM)
    run_due_jobs()
    experiment = Experiment.objects.latest("pk")
    assert (experiment.status, experiment.results) == ("canceled", None)
    kept = [
        (one.result is None, one.predictions is None, one.replay is None, one.digest)
        for one in experiment.variants.all()
    ]
    assert kept[0][:3] == (False, False, False)
    assert kept[1] == (True, True, True, "")


@pytest.mark.usefixtures("committee")
def test_an_experiment_on_a_differing_ledger_gives_no_verdict(client):
    line = RatingChange.objects.filter(calculation__is_current=True).latest("pk")
    with transaction.atomic():
        forge(line, post_rating=line.post_rating + 300)
        client.post(NEW, FORM)
        run_due_jobs()
        experiment = Experiment.objects.latest("pk")
        assert experiment.status == "failed"
        assert experiment.message.startswith("Check failed")
        assert experiment.results is None
        transaction.set_rollback(True)


# --- Two sets of rules compared ---

EDITIONS = "/laboratory/editions/"
SIDES = {
    "before": DEFAULT_EDITION,
    "before_values": "k=1.5",
    "after": DEFAULT_EDITION,
    "after_values": "k=0.5, lower_k=off",
    "system": "OTBR",
    "first_day": "",
}


@pytest.mark.usefixtures("committee")
def test_two_sets_of_values_are_compared_with_each_other(client):
    address = client.post(EDITIONS, SIDES)["Location"]
    waiting = client.get(address)
    assert waiting.context["experiment"].is_open
    run_due_jobs()
    experiment = Experiment.objects.latest("pk")
    assert experiment.status == "done", experiment.message
    page = client.get(address)
    assert page.context["experiment"] == experiment

    sources = LedgerSources.read()
    one, other = (
        replay_ledger(sources, Variation(tuple(changes))).replay.ended.rating
        for changes in (
            [Change("k", 1.5)],
            [Change("k", 0.5), Change("lower_k", False)],
        )
    )
    moves = [
        int(after + 0.5) - int(before + 0.5)
        for before, after in zip(one, other, strict=True)
        if before == before and after == after
    ]
    up, down = sum(move > 0 for move in moves), sum(move < 0 for move in moves)
    assert up
    assert down
    assert (
        f"Of {len(moves)} members, {up} would be rated higher, {down} lower"
    ) in page.content.decode()
    gainers, losers = (
        experiment.results["changes"][name] for name in ("gainers", "losers")
    )
    assert len(losers) >= down
    assert len(gainers) >= up
    labels = {one.label for one in page.context["differences"]}
    assert labels == {
        "Numerator of K",
        "Formula of the lower K",
        "Lower K above 2200 in dual-rated sections",
    }
    assert "K multiplier = 0.5 and lower K above 2200" in page.content.decode()
    # The same comparison is found again, and replayed again only on request.
    client.get(address)
    assert Experiment.objects.count() == 1
    client.post(EDITIONS, SIDES)
    client.post(EDITIONS, SIDES)  # it waits already
    assert Experiment.objects.count() == 2


@pytest.mark.usefixtures("committee")
def test_the_actual_rules_can_be_one_side(client):
    sides = SIDES | {"before_values": "", "after_values": "k=0.5"}
    address = client.post(EDITIONS, sides)["Location"]
    run_due_jobs()
    experiment = Experiment.objects.latest("pk")
    assert experiment.variants.count() == 2
    page = client.get(address).content.decode()
    day = long_day(date.fromisoformat(DEFAULT_EDITION))
    assert f"With K multiplier = 0.5 instead of the rules of {day}" in page
    [own] = experiment.results["our_rules"]["effects"]
    assert own["everybody"][:5] == experiment.results["changes"]["everybody"][:5]


@pytest.mark.usefixtures("committee")
def test_a_long_comparison_has_a_short_title(client):
    values = ["k=1.1", "bonus=9", "lower_k=off", "n_limit=40"]
    days = [f"{one}@2024-01-15..2024-03-15" for one in values]
    client.post(EDITIONS, SIDES | {"after_values": ", ".join(days)})
    title = Experiment.objects.get().title
    assert len(title) == 120
    assert title.endswith("…")


@pytest.mark.usefixtures("committee")
def test_the_newest_editions_are_compared_first(client):
    form = client.get(EDITIONS).context["form"]
    assert [form["before"].value(), form["after"].value()] == list(RULES_EDITIONS[-2:])


@pytest.mark.usefixtures("committee")
def test_differences_have_their_days_unit_and_sources(client):
    sides = {"before": "2025-02-10", "after": "2025-07-26", "system": "OTBR"}
    page = client.get(EDITIONS, sides)
    [row] = page.context["differences"]
    assert (row.label, row.days, row.before, row.after, row.unit) == (
        "Bonus multiplier (B)",
        "from Jan 1, 2025",
        "12",
        "10",
        "points",
    )
    assert list(row.sources) == [
        "2025 paper, sections 4.2 and 8",
        "July 2025 paper, sections 4.2 and 8",
    ]
    assert "adjusted prior R0′" in page.content.decode()
    assert Experiment.objects.count() == 0


@pytest.mark.usefixtures("committee")
def test_form_that_replays_has_no_ids_of_its_own(client):
    page = client.get(EDITIONS, SIDES).content.decode()
    ids = re.findall(r'\bid="([^"]+)"', page)
    assert page.count('name="before_values"') == 2
    assert len(ids) == len(set(ids))


@pytest.mark.usefixtures("committee")
def test_differences_of_one_day_have_the_day_once(client):
    values = {"before_values": "", "after_values": "bonus=9@2024-02-03..2024-02-03"}
    [row] = client.get(EDITIONS, SIDES | values).context["differences"]
    assert row.days == "Feb 3, 2024"
    assert "your value" in row.sources


@pytest.mark.usefixtures("committee")
def test_conversions_are_written_in_full(client):
    sides = {"before": "2020-09-02", "after": "2025-07-26", "system": "OTBR"}
    page = client.get(EDITIONS, sides)
    rows = {row.label: row for row in page.context["differences"]}
    assert rows["CFC conversion"].before == (
        "−90 + 1 × rating up to 1500; −240 + 1.1 × rating above that"
    )
    assert rows["FIDE conversion, low range: add"].after == "−1073"
    assert rows["Three-game clause"].before == "no"


@pytest.mark.usefixtures("committee")
@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"before_values": "bonus=0"}, "bonus: 0 must be more than 0."),
        ({"before_values": "bonus"}, "“bonus” is not a change."),
        ({"after_values": "edition=2020-09-02"}, "Choose the edition above."),
        ({"after": "2001-01-01"}, "Select a valid choice."),
    ],
)
def test_what_cannot_be_compared_is_refused(client, changes, sentence):
    assert sentence in client.post(EDITIONS, SIDES | changes).content.decode()
    assert Experiment.objects.count() == 0


@pytest.mark.usefixtures("committee")
def test_equal_sides_have_no_difference_and_no_replay(client):
    page = client.get(EDITIONS, SIDES | {"after_values": "k=1.5"}).content.decode()
    assert "No value is different." in page
    assert "Replay our games" not in page


def test_only_the_committee_compares_editions(client):
    assert client.get(EDITIONS).status_code == 302
    client.force_login(make_user())
    assert client.get(EDITIONS).status_code == 403
