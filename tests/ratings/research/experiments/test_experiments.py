"""Experiments: requested, run, canceled, resumed, repeated, published."""

from datetime import date, timedelta

import pytest
from django.utils import timezone

from ratings.laboratory.experiment import run
from ratings.models import Experiment, ExperimentVariant, GamesHistory
from ratings.research.experiments.plans import (
    GameSelection,
    InvalidVariant,
    RunOptions,
    Variant,
    variants_of,
)
from ratings.research.experiments.queries.experiments import experiment_page
from ratings.research.experiments.services import game_files, run_steps, runner
from ratings.research.experiments.services.examples import EXAMPLES, start_example
from ratings.research.experiments.services.lifecycle import (
    MAX_OPEN_EXPERIMENTS,
    ExperimentRefused,
    cancel_experiment,
    is_stalled,
    publish_experiment,
    repeat_experiment,
    request_experiment,
    resume_experiment,
    withdraw_experiment,
)
from ratings.research.experiments.services.stored_columns import save_outcome
from ratings_site.common.accounts.permissions import NotAllowed
from ratings_site.common.jobs.services import claim, perform, run_due_jobs
from ratings_site.common.models import AuditEntry, Job, SignOfLife
from ratings_site.common.uploads.services import read_upload
from tests.factories import make_player, make_staff, make_td, make_user, rated_section
from tests.ratings.research.experiments.factories import (
    ELO,
    GLICKO,
    REASON,
    committee_member,
    finished_experiment,
    games_csv,
    requested_experiment,
)

pytestmark = pytest.mark.django_db

Status = Experiment.Status
BONUS_12, BONUS_10 = (
    Variant("uschess.2025_07", (("bonus_multiplier", bonus),)) for bonus in (12.0, 10.0)
)


class PowerCut(BaseException):
    """The machine is gone in the middle of the work."""


@pytest.fixture
def second_variant(monkeypatch):
    """Let something happen just when the second variant is about to be run."""
    started = []

    def arrange(happens) -> list[str]:
        def run_and_count(system, *args, **kwargs):
            started.append(system.about.key)
            if len(started) == 2:
                happens()
            return run(system, *args, **kwargs)

        monkeypatch.setattr(runner, "run", run_and_count)
        return started

    return arrange


def digests(experiment: Experiment) -> list[str]:
    return list(experiment.variants.values_list("digest", flat=True))


def test_experiment_runs_each_variant_and_keeps_what_came_out():
    experiment = finished_experiment(committee_member())
    assert experiment.status == Status.DONE
    assert all(digests(experiment))
    results = experiment.results
    assert results["games"] > 50
    assert {one["number"] for one in results["variants"]} == {1, 2}
    for one in results["variants"]:
        value, low, high, _error = one["measures"]["scaled_deviance"]
        assert low <= value <= high
        # Made-up strengths differ, so a system that learns from games beats a coin.
        assert value < 100
    assert Job.objects.get().percent == 100


def test_everything_needed_to_repeat_it_is_kept():
    content = games_csv()
    experiment = finished_experiment(file=("games.csv", content))
    assert read_upload(experiment.file.stored_as) == content
    assert experiment.facts.keys() >= {
        *("books", "history", "laboratory", "engine", "python"),
    }
    assert RunOptions.from_json(experiment.plan) == RunOptions(
        chosen=None, warm_up_days=60, least_games=0, newcomers="ours"
    )
    assert [one.system for one in experiment.variants.all()] == [
        "elo.logistic",
        "glicko",
    ]


def test_the_advantage_of_white_is_fitted_once_and_said(monkeypatch):
    """Every variant has the same, and a repetition that of the first."""
    asked = RunOptions(chosen=None, training=40, least_games=2)
    variants = [Variant("stephenson"), Variant("elo.logistic")]
    file = ("games.csv", games_csv(players=120, months=8))
    experiment = finished_experiment(asked=asked, variants=variants, file=file)
    points, error, games = experiment.facts["white_advantage"]
    said = dict(experiment_page(experiment, variant="", for_committee=True).facts)
    assert said["White’s advantage"] == (
        f"{points:.1f} points for all systems (standard error {error:.1f}), "
        f"estimated from {games:,} training games"
    )
    assert said["Training"] == "the first 40% of the games"
    assert said["New players"] == "our own initial ratings, in all systems"
    assert said["Games included"] == "games between players with at least 2 games"
    monkeypatch.setattr(runner, "trained_advantage", lambda *_given: None)
    again = repeat_experiment(experiment_id=experiment.pk, actor=None, reason=REASON)
    run_due_jobs()
    again.refresh_from_db()
    assert again.results_digest == experiment.results_digest


def test_without_an_advantage_no_system_has_one():
    asked = RunOptions(chosen=None, training=40, least_games=2, white="none")
    variants = [
        Variant("glicko_boost"),
        Variant("glicko_boost", (("white_advantage", 0.0),)),
    ]
    experiment = finished_experiment(asked=asked, variants=variants)
    one, other = experiment.variants.all()
    assert bytes(one.predictions) == bytes(other.predictions)
    assert "white_advantage" not in experiment.facts


def test_repetition_agrees_to_the_last_bit():
    first = finished_experiment()
    again = repeat_experiment(experiment_id=first.pk, actor=None, reason=REASON)
    run_due_jobs()
    again.refresh_from_db()
    assert again.repeats == first
    assert again.results == first.results
    assert digests(again) == digests(first)
    assert again.results_digest == first.results_digest


def test_repetition_is_run_on_the_games_as_they_were(monkeypatch):
    """Also when the ledger has changed since."""
    rated_section(players=6, rounds=3)
    asked = RunOptions(
        chosen=GameSelection(), warm_up_days=0, least_games=0, newcomers="ours"
    )
    first = finished_experiment(asked=asked, file=None)
    rated_section(players=6, rounds=3)

    again = repeat_experiment(experiment_id=first.pk, actor=None, reason=REASON)
    run_due_jobs()
    again.refresh_from_db()

    assert again.results_digest == first.results_digest
    later = finished_experiment(asked=asked, file=None)
    assert later.history.games == 2 * first.history.games
    assert later.facts["books"] > first.facts["books"]


def test_another_parameter_gives_other_bits():
    one = finished_experiment(variants=[ELO])
    other = finished_experiment(variants=[Variant("elo.logistic", (("k", 33.0),))])
    assert digests(one) != digests(other)


# --- Stopping and going on ---


def test_canceled_experiment_shows_nothing_and_goes_on_with_what_is_missing(
    second_variant,
):
    experiment = requested_experiment()
    started = second_variant(
        lambda: cancel_experiment(
            experiment_id=experiment.pk, actor=None, reason=REASON
        )
    )
    run_due_jobs()
    experiment.refresh_from_db()
    assert (experiment.status, experiment.results) == (Status.CANCELED, None)
    kept, missing = experiment.variants.all()
    assert kept.result is not None
    assert (missing.result, missing.predictions, missing.digest) == (None, None, "")

    resume_experiment(experiment_id=experiment.pk, actor=None, reason=REASON)
    run_due_jobs()
    experiment.refresh_from_db()
    assert experiment.status == Status.DONE
    assert started == ["elo.logistic", "glicko", "glicko"]
    assert experiment.variants.first().finished_at == kept.finished_at


def test_worker_that_dies_leaves_no_half_result_and_the_next_goes_on(
    second_variant, settings
):
    experiment = requested_experiment()

    def power_cut():
        raise PowerCut

    started = second_variant(power_cut)
    job = Job.objects.get()
    with pytest.raises(PowerCut):
        perform(claim(job.pk))
    experiment.refresh_from_db()
    assert experiment.results is None
    assert [one.result is None for one in experiment.variants.all()] == [False, True]

    SignOfLife.objects.update(at=timezone.now() - timedelta(days=1))
    run_due_jobs()
    experiment.refresh_from_db()
    assert experiment.status == Status.DONE
    assert started == ["elo.logistic", "glicko", "glicko"]
    assert Job.objects.get().attempts == 2
    untouched = finished_experiment(title="Undisturbed")
    assert untouched.results_digest == experiment.results_digest


def test_a_variant_is_stored_whole_or_not_at_all(monkeypatch):
    variant = requested_experiment().variants.first()
    save_outcome(variant, result={"seconds": 1}, digest="d", predictions=b"first")

    class Clock:
        @staticmethod
        def now():
            raise PowerCut

    monkeypatch.setattr(
        "ratings.research.experiments.services.stored_columns.timezone", Clock
    )
    with pytest.raises(PowerCut):
        save_outcome(variant, result={}, digest="e", predictions=b"second")
    variant.refresh_from_db()
    assert (bytes(variant.predictions), variant.digest) == (b"first", "d")


def test_worker_declared_dead_cannot_write_any_more(second_variant):
    experiment = requested_experiment()
    second_variant(lambda: Job.objects.update(attempts=9))  # another worker has it now
    perform(claim(Job.objects.get().pk))
    assert [one.result is None for one in experiment.variants.all()] == [False, True]


def test_resumed_just_before_its_worker_leaves_it_goes_on(monkeypatch):
    experiment = requested_experiment()
    closed = []

    def canceled_and_resumed(system, *args, **kwargs):
        if not closed:
            closed.append(system.about.key)
            for do in (cancel_experiment, resume_experiment):
                do(experiment_id=experiment.pk, actor=None, reason=REASON)
            raise runner.ExperimentClosed  # as the worker had seen it in between
        return run(system, *args, **kwargs)

    monkeypatch.setattr(runner, "run", canceled_and_resumed)
    run_due_jobs()
    experiment.refresh_from_db()
    assert (experiment.status, is_stalled(experiment)) == (Status.DONE, False)
    assert Job.objects.get().state == Job.State.DONE


def test_system_without_an_answer_fails_at_once_and_is_named(monkeypatch):
    def broken(system, *args, **kwargs):
        if system.about.key == "glicko":
            raise OverflowError("math range error")
        return run(system, *args, **kwargs)

    experiment = requested_experiment()
    monkeypatch.setattr(runner, "run", broken)
    run_due_jobs()
    experiment.refresh_from_db()
    assert experiment.status == Status.FAILED
    assert experiment.message == "Glicko can’t rate these games: math range error."
    assert Job.objects.get().attempts == 1


def test_failed_experiment_says_why_and_can_go_on(monkeypatch):
    def broken(*args, **kwargs):
        raise KeyError("a fault in the program")

    experiment = requested_experiment()
    monkeypatch.setattr(runner, "run", broken)
    for _attempt in range(6):
        Job.objects.update(run_after=timezone.now())
        run_due_jobs()
    experiment.refresh_from_db()
    assert experiment.status == Status.FAILED
    assert experiment.message == "KeyError: 'a fault in the program'"

    monkeypatch.setattr(runner, "run", run)
    resume_experiment(experiment_id=experiment.pk, actor=None, reason=REASON)
    run_due_jobs()
    experiment.refresh_from_db()
    assert experiment.status == Status.DONE


def test_experiment_whose_job_is_gone_can_go_on():
    experiment = requested_experiment()
    assert not is_stalled(experiment)
    Job.objects.update(state=Job.State.FAILED)
    assert is_stalled(experiment)
    resume_experiment(experiment_id=experiment.pk, actor=None, reason=REASON)
    assert not is_stalled(experiment)


def test_running_tells_how_far_it_is(monkeypatch):
    told = []
    beat = runner.ClaimedJob.beat

    def listening(self, **progress):
        told.append((progress.get("done", 0), progress.get("total", 0)))
        beat(self, **progress)

    monkeypatch.setattr(run_steps, "SECONDS_BETWEEN_UPDATES", 0)
    monkeypatch.setattr(runner.ClaimedJob, "beat", listening)
    finished_experiment()
    counted = [one for one in told if one[1]]
    assert counted == sorted(counted)
    assert len(counted) > 6
    assert counted[-1] == (200, 300)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"date,white,black,result\n", "There are no games for this experiment."),
        (b"nothing of the kind", "There are no games for this experiment."),
    ],
)
def test_no_games_fails_at_once_with_the_findings(content, sentence):
    experiment = finished_experiment(file=("x.csv", content))
    assert experiment.status == Status.FAILED
    assert experiment.message.startswith(sentence)
    assert experiment.findings
    assert Job.objects.get().attempts == 1
    assert not GamesHistory.objects.exists()


@pytest.mark.parametrize("content", [b"date,white,black,result\n", b'[White "A"]\n'])
def test_file_that_asks_for_too_much_fails_in_words(monkeypatch, content):
    monkeypatch.setattr(game_files, "MEGABYTES", 15)
    experiment = finished_experiment(file=("x.csv", content))
    assert experiment.status == Status.FAILED
    assert experiment.message.startswith("The file is too large to read")
    assert Job.objects.get().attempts == 1


def test_unpredictable_games_fail_with_a_message():
    asked = RunOptions(chosen=None, warm_up_days=36_500, least_games=0)
    experiment = finished_experiment(asked=asked)
    assert experiment.status == Status.FAILED
    assert "No game" in experiment.message


# --- Asking ---


def test_only_the_committee_and_managers_may_ask():
    for user in (make_user(), make_staff()):
        with pytest.raises(NotAllowed):
            requested_experiment(user)
    assert not Experiment.objects.exists()
    member = committee_member()
    experiment = requested_experiment(member)
    entry = AuditEntry.objects.get(action="experiment.asked")
    assert (entry.actor, entry.reason) == (member, REASON)
    assert entry.subject_id == str(experiment.pk)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"variants": []}, "Choose at least one system."),
        ({"variants": [ELO, ELO]}, "Two variants are the same"),
        ({"variants": [Variant("short")]}, "system can’t be run"),
        ({"variants": [Variant("nonsense")]}, "system can’t be run"),
        ({"variants": [Variant("glicko", (("k", 1.0),))]}, "no such parameter"),
        ({"variants": [Variant("glicko", (("c", -1.0),))]}, "At least"),
        (
            {"variants": variants_of("glicko", {"c": [float(c) for c in range(25)]})},
            "That makes 25 variants. An experiment can have up to 24.",
        ),
        ({"kind": "rule_change", "variants": [ELO]}, "two variants"),
        ({"kind": "search", "variants": [ELO]}, "at least two values"),
        ({"file": None}, "games or a file, not both"),
        ({"reason": " "}, "Enter a reason"),
        ({"title": " "}, "Enter a name for the experiment."),
    ],
)
def test_what_cannot_be_run_is_refused(changes, sentence):
    with pytest.raises(ExperimentRefused, match=sentence):
        requested_experiment(**changes)
    assert not Experiment.objects.exists()


def test_same_experiment_is_not_open_twice():
    requested_experiment()
    with pytest.raises(ExperimentRefused, match="is already open"):
        requested_experiment()
    requested_experiment(variants=[ELO])
    run_due_jobs()
    requested_experiment()  # it is done, so it may be requested again


def test_only_so_many_wait_at_once():
    for months in range(1, MAX_OPEN_EXPERIMENTS + 1):
        requested_experiment(asked=RunOptions(chosen=None, months=months))
    with pytest.raises(ExperimentRefused, match="Try again later"):
        requested_experiment(asked=RunOptions(chosen=None, months=99))


def test_combinations_without_end_are_refused_before_they_are_made():
    values = [float(value) for value in range(30, 60)]
    names = ("c", "lowest_deviation", "first_rating")
    with pytest.raises(InvalidVariant, match="That makes 27000 variants"):
        variants_of("glicko", dict.fromkeys(names, values))


def test_values_as_usual_make_no_other_variant():
    [usual] = variants_of("elo.logistic", {"k": [ELO.parameters().k]})
    assert usual == ELO


# --- Kinds ---


def test_search_chooses_on_early_games_and_is_judged_on_late_ones():
    experiment = finished_experiment(
        kind="search",
        asked=RunOptions(chosen=None, warm_up_days=30, least_games=0, newcomers="ours"),
        variants=[
            *variants_of("glicko", {"c": [5.0, 20.0, 60.0, 120.0]}),
            Variant("glicko"),
        ],
    )
    results = experiment.results
    chosen_on = results["chosen_on"]
    assert len(chosen_on["variants"]) == 5
    best = chosen_on["variants"][0]
    deviances = [one["measures"]["scaled_deviance"][0] for one in chosen_on["variants"]]
    assert best["measures"]["scaled_deviance"][0] == min(deviances)
    rolling = results["rolling"]
    assert [fold["chosen"] for fold in rolling["folds"]][-1] == best["number"]
    assert rolling["games"] == sum(fold["games"] for fold in rolling["folds"])
    # The last part judges the best and the usual values, and chose nothing.
    assert results["games"] == rolling["folds"][-1]["games"]
    assert {one["number"] for one in results["variants"]} == {best["number"], 5}
    assert chosen_on["games"] + results["games"] <= experiment.history.games


def test_what_was_asked_before_searches_were_judged_by_year_is_still_read():
    said = RunOptions(chosen=None).as_json() | {"test_days": 90}
    assert RunOptions.from_json(said) == RunOptions(chosen=None)


def test_change_of_the_rules_tells_who_gains_and_loses():
    """Without any bonus no player gains, and those with large wins lose."""
    variants = [
        Variant("uschess.2025_07"),
        Variant("uschess.2025_07", (("bonus_multiplier", 1000.0),)),
    ]
    experiment = finished_experiment(kind="rule_change", variants=variants)
    changes = experiment.results["changes"]
    players, gained, lost = changes["everybody"][2:5]
    assert players == experiment.history.players
    assert gained == 0
    assert lost > 0
    assert sum(one[2] for one in changes["classes"]) == players
    assert sum(one[2] for one in changes["ages"]) == players
    with_bonus, without = experiment.variants.all()
    assert with_bonus.result["drift"][-1]["bonus_points"] > 0
    assert without.result["drift"][-1]["bonus_points"] == 0


@pytest.mark.parametrize("name", EXAMPLES)
def test_shipped_examples_run_on_the_ledger(name):
    td = make_td()
    for day in (date(2024, 5, 4), date(2025, 5, 3)):
        rated_section(players=8, rounds=4, td=td, starts=day, ends=day)
    experiment = start_example(name=name, actor=committee_member())
    plan = experiment.plan | {
        "warm_up_days": 0,
        "least_games": 0,
        "newcomers": "ours",
    }
    Experiment.objects.update(plan=plan)
    run_due_jobs()
    experiment.refresh_from_db()
    assert experiment.status == Status.DONE, experiment.message
    members = experiment.results["changes"]["everybody"][2]
    assert members == (16 if name == "bonus_2023" else 8)  # players since that day


# --- Publishing ---


def test_published_with_a_title_and_a_reason_and_taken_back():
    member = committee_member()
    experiment = finished_experiment()
    publish_experiment(
        experiment_id=experiment.pk, actor=member, public_title="Elo", reason=REASON
    )
    experiment.refresh_from_db()
    assert experiment.is_published
    assert (experiment.public_title, experiment.public_reason) == ("Elo", REASON)
    with pytest.raises(ExperimentRefused, match="already published"):
        publish_experiment(
            experiment_id=experiment.pk, actor=member, public_title="X", reason="Y"
        )
    withdraw_experiment(experiment_id=experiment.pk, actor=member, reason=REASON)
    experiment.refresh_from_db()
    assert not experiment.is_published
    actions = AuditEntry.objects.filter(actor=member).values_list("action", flat=True)
    assert set(actions) == {"experiment.published", "experiment.withdrawn"}


def test_what_is_not_finished_is_neither_published_nor_repeated():
    experiment = requested_experiment()
    with pytest.raises(ExperimentRefused, match="can’t publish it yet"):
        publish_experiment(
            experiment_id=experiment.pk, actor=None, public_title="X", reason="Y"
        )
    with pytest.raises(ExperimentRefused, match="can’t repeat it yet"):
        repeat_experiment(experiment_id=experiment.pk, actor=None, reason="Y")


@pytest.mark.parametrize(("players", "is_published"), [(9, False), (10, True)])
def test_what_is_about_few_players_is_not_published(players, is_published):
    lines = ["date,white,black,result"]
    for day in range(1, 28):
        white, black = day % players, (day + 1) % players
        lines.append(f"2024-05-{day:02},Player {white},Player {black},1-0")
        lines.append(f"2024-06-{day:02},Player {black},Player {white},1-0")
    experiment = finished_experiment(
        asked=RunOptions(chosen=None, warm_up_days=0, least_games=0),
        file=("games.csv", "\n".join(lines).encode()),
    )
    said = {"public_title": "Few", "reason": REASON, "actor": committee_member()}
    if is_published:
        publish_experiment(experiment_id=experiment.pk, **said)
    else:
        with pytest.raises(ExperimentRefused, match="This experiment covers 9 players"):
            publish_experiment(experiment_id=experiment.pk, **said)
    experiment.refresh_from_db()
    assert experiment.is_published == is_published


def test_staff_without_the_permission_may_not_publish():
    experiment = finished_experiment()
    with pytest.raises(NotAllowed):
        publish_experiment(
            experiment_id=experiment.pk,
            actor=make_staff(),
            public_title="X",
            reason="Y",
        )


def test_experiment_on_the_ledger_needs_no_file():
    make_player(ratings={"OTBR": (1500.0, 30)})
    rated_section(players=4, rounds=2)
    experiment = request_experiment(
        actor=None,
        title="X",
        reason=REASON,
        kind="comparison",
        asked=RunOptions(
            chosen=GameSelection(), warm_up_days=0, least_games=0, newcomers="ours"
        ),
        variants=[GLICKO],
    )
    run_due_jobs()
    assert ExperimentVariant.objects.get(experiment=experiment).result["predicted"] == 4
