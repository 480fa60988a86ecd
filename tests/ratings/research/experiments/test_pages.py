"""Pages of experiments: who sees what, and how one asks for one."""

import csv
import io
import re
from datetime import date, timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from ratings.engine.variation.variations import Variation, read_change
from ratings.models import Experiment, ExperimentVariant
from ratings.rerates.services.sources import rules_to_json
from ratings.research.experiments.plans import (
    OUR_BOOKS,
    GameSelection,
    RunOptions,
    Variant,
)
from ratings.research.experiments.queries.cells import Sheet
from ratings.research.experiments.queries.experiments import names_of, sheets_of
from ratings.research.experiments.queries.our_rules import rule_sheets
from ratings.research.experiments.queries.report import report_of
from ratings.research.experiments.queries.rule_changes import change_sheets
from ratings.research.experiments.queries.verdicts import verdict_of
from ratings.research.experiments.services.lifecycle import (
    cancel_experiment,
    publish_experiment,
    repeat_experiment,
)
from ratings.research.experiments.services.report_pdf import pdf_of
from ratings_site.common.jobs.services import claim, run_due_jobs
from ratings_site.common.models import Job
from ratings_site.common.ui.charts.flat import shapes
from ratings_site.common.uploads.services import read_upload
from tests.factories import (
    event_report,
    make_player,
    make_staff,
    make_td,
    rated_event,
    rated_section,
    section_report,
    swiss_rows,
)
from tests.ratings.research.experiments.factories import (
    ELO,
    REASON,
    committee_member,
    finished_experiment,
    games_csv,
    requested_experiment,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def committee(client):
    """A test client signed in as a member of the committee."""
    client.force_login(committee_member())
    return client


def publish(experiment: Experiment) -> Experiment:
    return publish_experiment(
        experiment_id=experiment.pk,
        actor=committee_member(),
        public_title="Elo against Glicko",
        reason="Everybody asked.",
    )


def text_of(response) -> str:
    return " ".join(re.sub(r"<[^>]*>", " ", response.content.decode()).split())


def address(experiment: Experiment, name: str = "experiment", *args) -> str:
    return reverse(f"ratings:{name}", args=[experiment.pk, *args])


# --- The list ---


@pytest.mark.parametrize("number", [2, 12])
def test_list_takes_the_same_queries_for_any_size(
    committee, django_assert_num_queries, number
):
    for count in range(number):
        publish(finished_experiment(title=f"Number {count}", variants=[ELO]))
    committee.get(reverse("ratings:experiments"))
    # Session, account, its permissions (2), count, rows, its member, is it a TD.
    with django_assert_num_queries(LIST_QUERIES):
        response = committee.get(reverse("ratings:experiments"))
    assert response.content.count(b"Number ") == number


LIST_QUERIES = 7


def test_page_of_an_experiment_takes_the_same_queries_for_any_number_of_variants(
    committee,
):
    counts = []
    for ks in ((16.0,), (16.0, 20.0, 28.0, 36.0, 44.0)):
        variants = [Variant("elo.logistic", (("k", k),)) for k in ks]
        experiment = finished_experiment(variants=variants)
        committee.get(experiment.get_absolute_url())
        with CaptureQueriesContext(connection) as queries:
            committee.get(experiment.get_absolute_url())
        counts.append(len(queries))
    assert counts[0] == counts[1]


def test_the_public_sees_published_experiments_with_public_titles(client):
    publish(finished_experiment(title="Secret name"))
    finished_experiment(title="Not for everybody")
    page = text_of(client.get(reverse("ratings:experiments")))
    assert "Elo against Glicko" in page
    assert "Secret name" not in page
    assert "Not for everybody" not in page
    assert "New experiment" not in page


def test_unpublished_experiment_is_not_found_by_others(client):
    experiment = finished_experiment()
    for name, *args in (("experiment",), ("experiment_sheet", "measures")):
        assert client.get(address(experiment, name, *args)).status_code == 404
    client.force_login(make_staff())  # of the office, not of the committee
    assert client.get(experiment.get_absolute_url()).status_code == 404


# --- One experiment ---


def test_published_page_shows_plots_and_their_tables(client):
    experiment = publish(finished_experiment())
    response = client.get(experiment.get_absolute_url())
    page = response.content.decode()
    assert "Elo against Glicko" in page
    assert "Everybody asked." in page
    assert "At floor" in page
    results = experiment.results
    best = results["variants"][0]["number"]
    for plot in (
        *("measures", f"calibration-expectancy-{best}", f"calibration-age-{best}"),
        *(f"drift-pool-{best}-mean", f"drift-classes-{best}"),
    ):
        assert f'<title id="plot-{plot}-title">' in page
    for one in results["variants"]:
        assert f"{one['measures']['scaled_deviance'][0]:.2f}" in page
    # For the committee alone:
    assert experiment.results_digest not in page
    assert REASON not in page


def test_one_child_of_many_games_is_no_public_band_of_age(client):
    lines = ["date,event,white,black,result,white born,black born"]
    for number in range(120):
        day = date(2024, 1, 1) + timedelta(2 * number)
        other = number % 25
        born = 1980 if other < 12 else 1970
        lines.append(f"{day},Event {number},Child,Player {other},1-0,2014,{born}")
    experiment = publish(
        finished_experiment(
            asked=RunOptions(
                chosen=None, warm_up_days=0, least_games=0, newcomers="own"
            ),
            file=("games.csv", "\n".join(lines).encode()),
        )
    )
    sheet = address(experiment, "experiment_sheet", "calibration-age-1")
    # The twelve of the smaller band hide the child, who is the total less the rest.
    adults = [row.split(",")[0] for row in lines_of(client.get(sheet))]
    assert adults == ["from", "50"]
    client.force_login(committee_member())
    everybody = [row.split(",")[0] for row in lines_of(client.get(sheet))]
    assert everybody == ["from", "10", "40", "50"]


def lines_of(response) -> list[str]:
    return response.content.decode().lstrip("\ufeff").splitlines()


def test_another_variant_is_looked_at_by_its_number(client):
    experiment = publish(finished_experiment())
    for number, other in ((1, 2), (2, 1)):
        url = f"{experiment.get_absolute_url()}?variant={number}"
        page = client.get(url).content.decode()
        assert f'id="calibration-gap-{number}"' in page
        assert f'id="calibration-gap-{other}"' not in page


def test_every_table_is_a_file_with_the_same_numbers(client):
    experiment = publish(finished_experiment())
    sheets = sheets_of(experiment, for_committee=False)
    assert len(sheets) == 4 + 2 * 8
    for name, sheet in sheets.items():
        response = client.get(address(experiment, "experiment_sheet", name))
        rows = list(csv.reader(io.StringIO(response.content.decode())))
        assert rows[0] == list(sheet.columns)
        assert len(rows) == 1 + len(sheet.rows)
    measures = client.get(address(experiment, "experiment_sheet", "measures"))
    first = next(csv.DictReader(io.StringIO(measures.content.decode())))
    best = experiment.results["variants"][0]
    assert float(first["scaled_deviance"]) == best["measures"]["scaled_deviance"][0]
    missing = client.get(address(experiment, "experiment_sheet", "nothing"))
    assert missing.status_code == 404


def rule_change(players: int = 12) -> Experiment:
    """A rule change over a ledger in which members have names and ages."""
    td = make_td()
    section = rated_section(players=players, rounds=5, td=td)
    members = [entry.player for entry in section.entries.order_by("pairing_number")]
    again = section_report(members, swiss_rows(players, 5))
    day = section.ends + timedelta(days=40)
    rated_event(td, event_report(td, [again], name="Again", starts=day, ends=day))
    return finished_experiment(
        title="A higher start",
        kind="rule_change",
        asked=RunOptions(
            chosen=GameSelection(), warm_up_days=0, least_games=0, newcomers="own"
        ),
        variants=[
            Variant("uschess.2025_07"),
            Variant("uschess.2025_07", (("highest_initial", 1500.0),)),
        ],
        file=None,
    )


def test_only_the_committee_reads_the_names_of_members(client):
    experiment = publish(rule_change())
    names = ("Given0", "Given1", "Family0", "Family1")
    public = client.get(experiment.get_absolute_url()).content.decode()
    assert not any(name in public for name in names)
    assert client.get(
        address(experiment, "experiment_sheet", "gainers")
    ).status_code == 404  # fmt: skip

    client.force_login(committee_member())
    private = client.get(experiment.get_absolute_url()).content.decode()
    assert any(name in private for name in names)
    file = client.get(address(experiment, "experiment_sheet", "gainers"))
    assert any(name in file.content.decode() for name in names)


def test_small_groups_are_not_public():
    experiment = rule_change(players=8)
    for_committee = sheets_of(experiment, for_committee=True)
    for_all = sheets_of(experiment, for_committee=False)
    # A higher initial rating makes no one lose, so there are no losers to show.
    assert set(for_committee) - set(for_all) == {"gainers"}
    for name, sheet in for_all.items():
        assert for_committee[name].rows, name
        if name.startswith("calibration"):
            assert all(row[2] >= 30 for row in sheet.rows)
        elif name not in ("measures", "other-measures"):
            assert not sheet.rows, name


def test_a_variant_without_changes_has_no_sheets_of_changes():
    nobody = [None, None, 100, 0, 0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    changes = {"everybody": nobody, "classes": [nobody], "ages": [nobody]}
    changes |= {"gainers": [], "losers": []}
    told = {"for_committee": True, "is_ledger_experiment": True}
    assert not list(change_sheets(changes, "B = 10", **told))
    moved = [*nobody[:3], 1, *nobody[4:]]
    sheets = list(change_sheets(changes | {"everybody": moved}, "B = 10", **told))
    assert all("B = 10" in one.title for one in sheets)
    effects = {
        "number": 2,
        "activity": [["played in the last year", *nobody[:7], nobody[7:]]],
        "states": [],
        "reached": [],
        "floors": {"higher": 0, "lower": 0},
    }
    labels = {2: "B = 10"}
    assert not list(rule_sheets({"effects": [effects]}, labels, for_committee=True))
    lifted = effects | {"floors": {"higher": 1, "lower": 0}}
    assert list(rule_sheets({"effects": [lifted]}, labels, for_committee=True))


def test_group_left_out_cannot_be_told_from_the_rest():
    experiment = finished_experiment()
    variant = experiment.variants.get(number=1)
    last = variant.result["drift"][-1]
    last["classes"] = [
        [1000, 1200, 12, 1100.0, 50.0, 0],
        [1200, 1400, 1, 1234.5, 0.0, 0],
        [1400, 1600, 27, 1500.0, 50.0, 0],
    ]
    variant.result["drift"] = [last]
    variant.save()
    sheet = sheets_of(experiment, for_committee=False)["drift-classes-1"]
    # 40 less 12 and 27 would be the one player.
    assert [row[3] for row in sheet.rows] == [27]
    sheet = sheets_of(experiment, for_committee=True)["drift-classes-1"]
    assert [row[3] for row in sheet.rows] == [12, 1, 27]


def test_names_of_a_file_are_no_formulas_for_a_spreadsheet(committee):
    names = ("=1+1", "+Ann", "@Bob", "-Cal")
    lines = ["date,white,black,result"]
    for day in range(1, 29):
        for white, black in (names[:2], names[2:], names[::2], names[1::2]):
            lines.append(f"2024-05-{day:02},{white},{black},1-0")
            lines.append(f"2024-06-{day:02},{white},{black},0-1")
    lines.append("2024-05-04,=1+1,+Ann,3-0")
    experiment = finished_experiment(
        kind="rule_change",
        asked=RunOptions(chosen=None, warm_up_days=0, least_games=0, newcomers="own"),
        variants=[
            Variant("uschess.2025_07"),
            Variant("uschess.2025_07", (("points_per_year", 60.0),)),
        ],
        file=("=games.csv", "\n".join(lines).encode()),
    )
    for file in (
        address(experiment, "experiment_sheet", "gainers"),
        address(experiment, "experiment_findings"),
    ):
        rows = list(csv.reader(io.StringIO(committee.get(file).content.decode())))
        assert len(rows) > 1
        assert not any(row[0].startswith(("=", "+", "-", "@")) for row in rows)
    gainers = committee.get(address(experiment, "experiment_sheet", "gainers"))
    assert {
        line.partition(",")[0] for line in gainers.content.decode().splitlines()[1:]
    } == {f"'{name}" for name in names}


def test_findings_are_no_formulas_for_a_spreadsheet(committee):
    experiment = finished_experiment(file=("=1+1.trf", b"012 Open\n042 2024/05/04\n"))
    file = committee.get(address(experiment, "experiment_findings")).content.decode()
    assert "'=1+1.trf,'=1+1.trf has no player line" in file


def test_repetition_says_whether_the_bits_agree(committee):
    first = finished_experiment()
    repeat_experiment(experiment_id=first.pk, actor=None, reason=REASON)
    run_due_jobs()
    again = Experiment.objects.get(repeats=first)
    assert "The results are identical" in text_of(
        committee.get(again.get_absolute_url())
    )
    Experiment.objects.filter(pk=first.pk).update(results_digest="other bits")
    page = text_of(committee.get(again.get_absolute_url()))
    assert "The results differ from" in page


def test_findings_of_a_file_stand_with_their_lines(committee):
    content = games_csv() + b"\n2020-03-03,Event 1,Player 1,Player 2,3-0\n"
    line = content.count(b"\n")
    experiment = finished_experiment(file=("games.csv", content))
    page = text_of(committee.get(experiment.get_absolute_url()))
    assert f"Line {line}:" in page
    file = committee.get(address(experiment, "experiment_findings")).content.decode()
    assert f"Line {line}," in file
    sent = committee.get(address(experiment, "experiment_file"))
    assert sent.content == content


def test_nothing_of_a_file_is_published_with_the_results(client):
    content = games_csv() + b"\n2020-03-03,Event 1,Secret,Player 2,3-0\n"
    experiment = publish(finished_experiment(file=("secret.csv", content)))
    page = client.get(experiment.get_absolute_url()).content.decode()
    assert "secret.csv" not in page
    assert "Line " not in page


# --- Progress ---


def test_page_shows_progress_while_it_runs_and_no_results(committee):
    experiment = requested_experiment()
    job = claim(Job.objects.get().pk)
    job.beat(done=50, total=200)
    Experiment.objects.update(status="running")
    page = committee.get(experiment.get_absolute_url()).content.decode()
    assert 'value="25"' in page
    assert f'hx-get="{address(experiment, "experiment_progress")}"' in page
    assert "Reading the games." in page
    assert 'id="comparison"' not in page
    part = committee.get(address(experiment, "experiment_progress"))
    assert 'value="25"' in part.content.decode()
    assert "HX-Refresh" not in part


def test_progress_asks_for_the_whole_page_when_the_work_is_over(committee):
    experiment = finished_experiment()
    part = committee.get(address(experiment, "experiment_progress"))
    assert part["HX-Refresh"] == "true"


def test_canceled_page_says_what_is_kept(committee):
    experiment = requested_experiment()
    cancel_experiment(experiment_id=experiment.pk, actor=None, reason=REASON)
    page = text_of(committee.get(experiment.get_absolute_url()))
    assert "Canceled. 0 of 2 variants are finished and saved" in page
    assert "Resume" in page


@pytest.mark.parametrize(
    ("act", "status"), [("cancel", "canceled"), ("publish", "done")]
)
def test_actions_require_a_reason(committee, act, status):
    experiment = requested_experiment() if act == "cancel" else finished_experiment()
    url = address(experiment, "experiment_act", act)
    assert committee.post(url, {"reason": ""}).status_code == 422
    sent = {"reason": REASON, "public_title": "For all"}
    assert committee.post(url, sent).status_code == 302
    experiment.refresh_from_db()
    assert experiment.status == status
    assert experiment.is_published is (act == "publish")


# --- Asking ---


def sent(**changes) -> dict:
    return {
        "title": "Which one?",
        "games": "books",
        "system": "OTBR",
        "newcomers": "ours",
        "months": "1",
        "training": "0",
        "least_games": "0",
        "white": "fitted",
        "systems": ["glicko"],
        "reason": REASON,
    } | changes


def new(browser, query: str = "", **changes):
    return browser.post(reverse("ratings:experiment_new") + query, sent(**changes))


def variants(experiment: Experiment) -> list[tuple[str, list]]:
    return [(one.system, one.parameters) for one in experiment.variants.all()]


def test_values_between_commas_make_variants(committee):
    response = new(committee, **{"glicko-c": "20, 40", "elo_logistic-k": "12"})
    experiment = Experiment.objects.get()
    assert response.url == experiment.get_absolute_url()
    assert variants(experiment) == [
        ("glicko", [["c", 20.0]]),
        ("glicko", [["c", 40.0]]),
    ]


def test_every_choice_of_games_is_asked_as_it_was_made(committee):
    rated_section(players=4)
    new(
        committee,
        first_day="2024-01-01",
        last_day="2024-12-31",
        state="IL",
        low="1000",
        high="2000",
        months="3",
        least_games="5",
    )
    asked = RunOptions.from_json(Experiment.objects.get().plan)
    assert asked.as_json()["chosen"] == {
        "system": "OTBR",
        "first_day": "2024-01-01",
        "last_day": "2024-12-31",
        "state": "IL",
        "low": 1000,
        "high": 2000,
    }
    assert (asked.months, asked.least_games, asked.newcomers) == (3, 5, "ours")


def test_a_file_is_run_and_kept_as_it_came(committee):
    content = games_csv()
    file = SimpleUploadedFile("mine.csv", content)
    assert new(committee, games="file", file=file).status_code == 302
    experiment = Experiment.objects.get()
    assert (experiment.file.name, read_upload(experiment.file.stored_as)) == (
        "mine.csv",
        content,
    )


def test_name_of_a_file_is_kept_without_what_no_database_takes(committee):
    file = SimpleUploadedFile("x", games_csv())
    file._name = "a\x00b\n.csv"
    assert new(committee, games="file", file=file).status_code == 302
    experiment = Experiment.objects.get()
    assert "\x00" not in experiment.file.name
    assert "\n" not in experiment.file.name


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"systems": []}, "Choose at least one system."),
        ({"systems": ["short"]}, "not one of the available choices"),
        ({"games": "file"}, "Choose a file with games."),
        ({"low": "1800", "high": "1500"}, "This is less than the minimum rating."),
        ({"first_day": "2024-05-04", "last_day": "2024-05-03"}, "before the first day"),
        ({"glicko-c": "x"}, "Enter numbers, such as"),
        ({"glicko-c": "nan"}, "Enter numbers, such as"),
        ({"glicko-c": "1e400"}, "Enter numbers, such as"),
        ({"glicko-c": "-1"}, "At least"),
        (
            {"glicko-c": ",".join(map(str, range(1, 40)))},
            "An experiment can have up to 24",
        ),
    ],
)
def test_what_is_wrong_stands_on_the_form(committee, changes, sentence):
    response = new(committee, **changes)
    assert response.status_code == 422
    assert sentence in text_of(response)
    assert not Experiment.objects.exists()


def test_file_over_the_limit_is_refused(committee, monkeypatch):
    monkeypatch.setattr(
        "ratings.research.experiments.forms.experiments.MAX_FILE_BYTES", 10
    )
    file = SimpleUploadedFile("mine.csv", b"x" * 11)
    response = new(committee, games="file", file=file)
    assert "The file is larger than 20 MB." in text_of(response)


def test_search_adds_the_usual_values_to_compare_with(committee):
    new(committee, "?kind=search&of=glicko", **{"glicko-c": "20, 40"})
    experiment = Experiment.objects.get()
    assert experiment.kind == "search"
    assert variants(experiment)[0] == ("glicko", [])
    assert len(variants(experiment)) == 3


def test_change_of_the_rules_takes_an_edition_and_values_for_both_sides(committee):
    page = committee.get(reverse("ratings:experiment_new") + "?kind=rule_change")
    fields = dict(
        re.findall(
            r'<input type="text" name="([a-z_]+-[a-z_]+)" value="([^"]*)"',
            page.content.decode(),
        )
    )
    said = {name: value for name, value in fields.items() if "-" in name}
    checked = {
        f"{side}-{name}": "on" for side in ("before", "after")
        for name in ("lower_k", "floors")
    }  # fmt: skip
    chosen = {
        f"{side}-{name}": value
        for side in ("before", "after")
        for name, value in (("newcomers", "age"), ("unknown_age", "child"))
    }
    response = new(
        committee,
        "?kind=rule_change",
        **said
        | checked
        | chosen
        | {
            "before-edition": "uschess.2020",
            "after-edition": "uschess.2025_07",
            "after-bonus_multiplier": "6",
        },
    )
    assert response.status_code == 302, text_of(response)
    assert variants(Experiment.objects.get()) == [
        ("uschess.2020", []),
        ("uschess.2025_07", [["bonus_multiplier", 6]]),
    ]


def test_shipped_example_begins_with_one_button(committee):
    make_player()
    url = reverse("ratings:experiment_example", args=["bonus_2023"])
    committee.post(url)
    experiment = Experiment.objects.get()
    assert (experiment.kind, experiment.variants.count()) == ("rule_change", 2)
    committee.post(url)  # twice on the button
    assert Experiment.objects.count() == 1


# --- The verdict, and the report ---


def verdict(client, experiment) -> str:
    page = client.get(experiment.get_absolute_url()).content.decode()
    found = re.search(r'id="answer">(.*?)</p>', page, re.S)
    rest = re.search(r'id="verdict">(.*?)</div>', page, re.S)
    return " ".join(one[1] for one in (found, rest) if one)


def test_the_page_says_first_what_came_out(committee):
    experiment = finished_experiment()
    said = verdict(committee, experiment)
    games = f"{experiment.results['games']:,} games"
    assert games in said
    assert "Glicko" in said
    assert "Elo" in said


def test_a_control_that_is_not_equal_leaves_no_verdict(committee):
    experiment = finished_experiment()
    for equal, told in (
        (9, "9 of 9 exactly"),
        (8, "there are no results"),
    ):
        ours = {
            "control": {"lines": 9, "equal": equal},
            "effects": [],
            "reconstructed": [],
        }
        experiment.results = experiment.results | {"our_rules": ours}
        experiment.save()
        page = committee.get(experiment.get_absolute_url()).content.decode()
        assert told in page
        assert bool(verdict(committee, experiment)) is (equal == 9)
        if equal == 9:
            assert page.index(told) < page.index('id="answer"')


def test_results_of_before_are_shown_without_a_verdict(committee):
    """Version 1 had three numbers to an estimate, and nothing by year."""
    experiment = finished_experiment()
    old = experiment.results
    for key in ("version", "years", "players", "factor", "factor_of_all"):
        del old[key]
    for one in old["variants"]:
        del one["among_all"]
        for key in ("player_month_rmse", "against_reference", "improvement"):
            one[key] = one[key] and one[key][:3]
        one["measures"] = {key: three[:3] for key, three in one["measures"].items()}
    experiment.results = old
    experiment.save()
    page = committee.get(experiment.get_absolute_url()).content.decode()
    assert "Repeat the experiment to get a result." in verdict(committee, experiment)
    assert 'id="plot-measures' in page
    report = committee.get(address(experiment, "experiment_report"))
    assert "How well they predicted" in text_of(report)


def test_report_has_everything_and_the_command_that_repeats_it(committee):
    experiment = publish(finished_experiment())
    page = committee.get(address(experiment, "experiment_report")).content.decode()
    assert experiment.facts["history"] in page
    assert (
        "manage.py laboratory run games.csv --system elo.logistic --system glicko "
        "--period-months 1 --warm-up 60 --least-games 0 --newcomers ours"
    ) in page
    assert "<details>" not in page  # nothing is folded on paper
    best = experiment.results["variants"][0]["number"]
    for name in sheets_of(experiment, for_committee=True):
        assert f'id="{name}"' in page or not name.endswith(f"-{best}")
    committee.logout()
    anybody = committee.get(address(experiment, "experiment_report"))
    assert "Report: Elo against Glicko" in anybody.content.decode()


def test_report_names_parameters_sources_and_how_to_repeat_it(committee):
    experiment = publish(finished_experiment())
    words = text_of(committee.get(address(experiment, "experiment_report")))
    # All parameters, the defaults too.
    assert "Growth of the deviation (c) 15" in words
    assert "Mark Glickman: The Glicko system" in words
    assert "those of the intervals start from 1" in words
    assert f"laboratory {experiment.facts['laboratory']}" in words


class TestReportFiles:
    def get(self, client, experiment, kind):
        return client.get(address(experiment, "experiment_report_file", kind))

    def test_markdown_has_every_table_with_its_numbers(self, committee):
        experiment = publish(finished_experiment())
        response = self.get(committee, experiment, "md")
        assert response["Content-Type"].startswith("text/markdown")
        name = f'filename="experiment-{experiment.pk}-report.md"'
        assert name in response["Content-Disposition"]
        text = response.content.decode()
        best = experiment.results["variants"][0]["number"]
        for key, sheet in sheets_of(experiment, for_committee=True).items():
            if key.startswith("calibration") and not key.endswith(f"-{best}"):
                continue
            if sheet.cells and "drift" not in key:
                assert f"| {' | '.join(sheet.cells[0])} |" in text, key
        for told in (experiment.facts["history"], experiment.results_digest):
            assert told in text
        assert "<http://www.glicko.net/glicko/glicko.pdf>" in text
        assert f"## Question\n\n{experiment.reason}" in text

    def test_pdf_is_whole_and_always_the_same(self, committee):
        experiment = publish(finished_experiment())
        response = self.get(committee, experiment, "pdf")
        assert response["Content-Type"] == "application/pdf"
        content = response.content
        assert content.startswith(b"%PDF-")
        assert content.rstrip().endswith(b"%%EOF")
        assert len(re.findall(rb"/Type\s*/Page\b", content)) > 1
        assert b"/FontFile2" in content  # its letters are embedded
        assert self.get(committee, experiment, "pdf").content == content

    def test_pdf_splits_rows_taller_than_a_page(self):
        cell = "x" * 3000
        blocks = [
            ("facts", [("Command", "--vary bonus=12 " * 500)]),
            ("sheet", Sheet("wide", "Wide", "ABCDEFG", [], "ABCDEFG", [[cell] * 7])),
        ]
        content = pdf_of(blocks, "Long")
        assert len(re.findall(rb"/Type\s*/Page\b", content)) > 2

    def test_pdf_draws_the_charts(self, committee):
        experiment = publish(finished_experiment())
        paper = report_of(experiment, for_committee=True)
        svg = next(one for sheet in paper.page.comparison for one in sheet.plots)
        height, found = shapes(svg, 500)
        others = len(experiment.results["variants"]) - 1
        assert len([one for one in found if one.kind == "circle"]) == others
        assert all(0 <= one.box[1] <= height for one in found)
        assert all(-1 <= one.box[0] <= 501 for one in found if one.kind != "text")

    def test_titles_of_strangers_are_words_and_no_markup(self, committee):
        experiment = finished_experiment(title="<b>*bold*</b> | a")
        text = self.get(committee, experiment, "md").content.decode()
        assert text.startswith(r"# \<b>\*bold\*\</b> \| a")
        assert self.get(committee, experiment, "pdf").status_code == 200

    @pytest.mark.parametrize(
        ("said", "written"),
        [
            ("1. First", r"1\. First"),
            ("- one\n- two", r"\- one - two"),
            ("> said", r"\> said"),
            ("---", r"\---"),
            ("~~no~~ &amp;", r"\~\~no\~\~ \&amp;"),
            ("One.\r\n\r\n2) Two.", "One.\n\n2\\) Two."),
            ("-5 and 1.5 > 1", "-5 and 1.5 > 1"),
        ],
    )
    def test_reasons_are_words_and_keep_paragraphs(self, committee, said, written):
        experiment = finished_experiment(reason=said)
        text = self.get(committee, experiment, "md").content.decode()
        assert f"## Question\n\n{written}\n\n" in text

    def test_the_public_gets_published_ones_without_private_words(self, client):
        hidden = finished_experiment(title="Hidden")
        for kind in ("md", "pdf"):
            assert self.get(client, hidden, kind).status_code == 404
        experiment = publish(finished_experiment(title="Secret name"))
        text = self.get(client, experiment, "md").content.decode()
        assert "# Elo against Glicko" in text
        assert "Everybody asked." in text
        assert "Secret name" not in text
        assert experiment.reason not in text
        assert self.get(client, experiment, "docx").status_code == 404


@pytest.mark.parametrize(
    ("last_day", "title"),
    [
        ("2024-01-31", "Month by month"),
        ("2024-03-31", "Quarter by quarter"),
        ("2024-12-31", "Year by year"),
    ],
)
def test_results_over_time_are_titled_by_how_long_their_periods_are(last_day, title):
    experiment = finished_experiment()
    results = experiment.results
    first, *_ = results["years"]
    period = first | {"first_day": "2024-01-01", "last_day": last_day}
    experiment.results = results | {"years": [period] * 2}
    assert sheets_of(experiment, for_committee=True)["years"].title == title


def test_report_of_what_is_not_finished_or_not_published_is_not_found(client):
    done = finished_experiment(title="Hidden")
    waiting = requested_experiment()
    for one in (waiting, done):
        assert client.get(address(one, "experiment_report")).status_code == 404


def test_a_bound_says_so_beside_its_name():
    keys = ("glicko", "bradley_terry", "regression")
    variants = [
        ExperimentVariant(number=number, system=key, parameters=[])
        for number, key in enumerate(keys)
    ]
    names = names_of(variants)
    assert names[0] == "Glicko"
    assert names[1].endswith(" (uses the future)")
    assert names[2].endswith(" (our own benchmark)")


def test_a_bound_is_not_what_predicted_best():
    """The Bradley-Terry fit uses the future, so it must not appear as the winner."""
    results = {
        "version": 2,
        "reference": 0,
        "games": 9000,
        "factor_of_all": 2.4,
        "variants": [
            measured_variant(1, -20.0),
            measured_variant(2, -1.0),
            measured_variant(0, None),
        ],
    }
    names = {0: "Elo", 1: "Bradley-Terry", 2: "Glicko"}
    said = verdict_of(results, names, bounds={1}, for_committee=True).answer
    assert said == "Glicko predicted these 9,000 games better than Elo."
    alone = verdict_of(
        {**results, "variants": [results["variants"][0], results["variants"][2]]},
        names,
        bounds={1},
        for_committee=True,
    )
    assert alone.answer.startswith("Bradley-Terry predicted these 9,000 games")


def measured_variant(number, against):
    certain = [against, against - 0.5, against + 0.5, 0.2] if against else None
    gain = [0.05, 0.02, 0.08, 0.01] if against else None
    off = {"root_brier": [0.36, 0.35, 0.37, 0.005]}
    return {
        "number": number,
        "measures": off,
        "among_all": certain,
        "improvement": gain,
    }


def rules_variant(number, *texts):
    varied = Variation(tuple(map(read_change, texts)))
    return ExperimentVariant(
        number=number, system=OUR_BOOKS, parameters=rules_to_json(varied)
    )


def test_variants_of_our_rules_are_named_by_what_differs():
    decade = "@2015-01-01..2024-12-31"
    variants = [
        rules_variant(1),
        rules_variant(2, f"bonus=12{decade}"),
        rules_variant(3, f"bonus=10{decade}"),
    ]
    assert names_of(variants) == {
        1: "Actual rules",
        2: "B = 12 from 2015 to 2024",
        3: "B = 10 from 2015 to 2024",
    }


def test_days_are_named_where_they_are_what_differs():
    names = names_of(
        [
            rules_variant(1, "bonus=10@2020-01-01..2020-12-31"),
            rules_variant(2, "bonus=10@2021-03-05..", "lower_k=off@..2021-12-31"),
            rules_variant(3, "bonus=10"),
        ]
    )
    assert list(names.values()) == [
        "B = 10 in 2020",
        "B = 10 from March 5, 2021, "
        "lower K above 2200 in dual-rated sections off until 2021",
        "B = 10",
    ]
