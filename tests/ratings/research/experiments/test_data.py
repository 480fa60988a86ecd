"""An experiment's games, predictions and ratings as files: what, and for whom."""

import csv
import gzip
import io
import json
import zipfile
from array import array
from datetime import date

import pytest
from django.db import transaction
from django.urls import reverse

from ratings.laboratory.experiment import Plan, run
from ratings.laboratory.history import History
from ratings.laboratory.measures import MEASURES, months_of, player_month_rmse
from ratings.laboratory.protocol import Pool
from ratings.laboratory.registry import RUNNABLE
from ratings.models import Experiment
from ratings.research.experiments.plans import GameSelection, RunOptions, Variant
from ratings.research.experiments.services.exports import (
    TABLES,
    ExperimentData,
    reveals_initial_ratings,
)
from ratings.research.experiments.services.histories import load_games
from ratings.research.experiments.services.lifecycle import publish_experiment
from ratings.research.experiments.services.stored_columns import load_columns
from ratings_site.common.web import files
from tests.factories import (
    event_report,
    make_player,
    make_td,
    rated_event,
    section_report,
    swiss_rows,
)
from tests.ratings.laboratory.synthetic import Federation, generate_history
from tests.ratings.research.experiments.factories import (
    ELO,
    GLICKO,
    committee_member,
    finished_experiment,
)
from tests.response_text import is_not_found

pytestmark = pytest.mark.django_db

OURS = Variant("uschess.2025_07")
OWN = RunOptions(
    chosen=GameSelection(), warm_up_days=0, least_games=0, newcomers="own", white="none"
)


@pytest.fixture(scope="module")
def sent(module_data):
    """An experiment over a file, for the committee."""
    return finished_experiment()


def published(experiment: Experiment) -> Experiment:
    return publish_experiment(
        experiment_id=experiment.pk,
        actor=committee_member(),
        public_title="For everybody",
        reason="Everybody asked.",
    )


def ratings_of_history(born: date) -> None:
    """Rate two Swisses of ten known players and two newcomers who were *born* then."""
    members = [make_player(ratings={"OTBR": (1500.0 + 10 * n, 40)}) for n in range(10)]
    members += [make_player(birth_date=born) for _ in range(2)]
    td = make_td()
    for day in (date(2024, 5, 5), date(2024, 7, 7)):
        section = section_report(members, swiss_rows(12, 4))
        rated_event(td, event_report(td, [section], starts=day, ends=day))


def lines_of(content: bytes) -> list[dict[str, str]]:
    text = gzip.decompress(content).decode()
    return list(csv.DictReader(io.StringIO(text, newline="")))


def content_of(data: ExperimentData, name: str, kind: str = "csv.gz") -> bytes:
    table, rows = data.table(name)
    return b"".join(files.stream_file(kind, table.columns, rows))


def for_committee(experiment: Experiment) -> ExperimentData:
    return ExperimentData(experiment, for_committee=True)


def public_files(experiment: Experiment) -> ExperimentData:
    return ExperimentData(experiment, for_committee=False)


def address(experiment: Experiment, name: str, *args: str) -> str:
    return reverse(f"ratings:experiment_{name}", args=[experiment.pk, *args])


# --- Their contents ---


def test_games_stand_as_they_were_read_under_numbers_of_the_experiment(sent):
    history = load_games(sent.history).history
    lines = lines_of(content_of(for_committee(sent), "games"))
    games = history.games
    assert [int(line["game"]) for line in lines] == list(range(1, len(history) + 1))
    assert [date.fromisoformat(line["day"]).toordinal() for line in lines] == list(
        history.rated_days
    )
    for column, values in (("white", games.white), ("black", games.black)):
        assert [int(line[column]) - 1 for line in lines] == list(values)
    assert [float(line["points"]) for line in lines] == list(games.points)
    assert sum(line["compared"] == "true" for line in lines) == sent.results["games"]
    assert (
        "Player"
        not in gzip.decompress(content_of(for_committee(sent), "games")).decode()
    )


def test_predictions_and_ratings_are_those_that_were_kept_to_the_last_bit(sent):
    for variant in sent.variants.all():
        kept = load_columns(variant, sent.history.games)
        lines = lines_of(
            content_of(for_committee(sent), f"predictions-{variant.number}")
        )
        expected = array("d", [float("nan")]) * sent.history.games
        for line in lines:
            expected[int(line["game"]) - 1] = float(line["expected"])
        assert repr(list(expected)) == repr(list(kept.predictions))
        ratings = {
            int(line["player"]) - 1: float(line["rating"])
            for line in lines_of(content_of(for_committee(sent), "ratings"))
            if int(line["variant"]) == variant.number
        }
        known = {p: r for p, r in enumerate(kept.final_ratings) if r == r}
        assert ratings == known


def test_table_of_the_experiment_follows_from_the_files(sent):
    """Exactly, with our own measures: nothing is left out and nothing is added."""
    data = for_committee(sent)
    games = {
        line["game"]: line
        for line in lines_of(content_of(data, "games"))
        if line["compared"] == "true"
    }
    for record in sent.results["variants"]:
        shared = [
            (games[line["game"]], float(line["expected"]))
            for line in lines_of(content_of(data, f"predictions-{record['number']}"))
            if line["game"] in games
        ]
        points = [float(game["points"]) for game, _ in shared]
        predicted = [expected for _, expected in shared]
        for key, measure in MEASURES.items():
            assert measure.value(points, predicted) == pytest.approx(
                record["measures"][key][0], rel=1e-12
            )
        months = months_of(
            [date.fromisoformat(g["day"]).toordinal() for g, _ in shared]
        )
        players = ([int(g[side]) for g, _ in shared] for side in ("white", "black"))
        assert player_month_rmse(months, *players, points, predicted) == pytest.approx(
            record["player_month_rmse"][0], rel=1e-12
        )


def test_search_says_which_games_judge_the_choice():
    search = finished_experiment(
        kind="search",
        asked=RunOptions(chosen=None, warm_up_days=60, least_games=0),
        variants=[ELO, Variant("elo.logistic", (("k", 40.0),))],
    )
    lines = lines_of(content_of(for_committee(search), "games"))
    compared = [line["day"] for line in lines if line["compared"] == "true"]
    assert len(compared) == search.results["games"]
    assert compared
    assert min(compared) > lines[0]["day"]


def test_parquet_has_what_the_csv_has(sent, require_services):
    if not files.can_write_parquet():
        pytest.fail("pyarrow is missing") if require_services else pytest.skip(
            "no pyarrow"
        )
    from pyarrow import BufferReader
    from pyarrow.parquet import read_table

    data = for_committee(sent)
    for name in data.names():
        read = read_table(BufferReader(content_of(data, name, "parquet")))
        lines = lines_of(content_of(data, name))
        assert read.num_rows == len(lines), name
        assert read.column_names == list(lines[0]), name
        for row, line in zip(read.to_pylist(), lines, strict=True):
            assert {key: files._written(one) for key, one in row.items()} == {
                key: _like(row[key], text) for key, text in line.items()
            }


def _like(value: object, text: str) -> object:
    """Return a cell of the CSV as the type in the Parquet file."""
    if value is None or isinstance(value, bool | str | date):
        return text or None
    return type(value)(text)


def test_every_column_is_documented_on_the_page(client, sent):
    client.force_login(committee_member())
    page = client.get(address(sent, "data")).content.decode()
    for table in TABLES:
        for column in table.columns:
            assert f"<code>{column.name}</code>" in page
            assert str(column.meaning) in page


def test_archive_holds_all_files_and_notebooks_made_out_to_them(client, sent):
    client.force_login(committee_member())
    response = client.get(address(sent, "data_archive", "csv.gz"))
    content = response.getvalue()
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        names = archive.namelist()
        stem = f"experiment-{sent.pk}"
        assert names == [
            f"{stem}-variants.csv.gz",
            f"{stem}-games.csv.gz",
            f"{stem}-predictions-1.csv.gz",
            f"{stem}-predictions-2.csv.gz",
            f"{stem}-ratings.csv.gz",
            "experiment.ipynb",
            "experiment.Rmd",
        ]
        assert len(lines_of(archive.read(names[1]))) == sent.history.games
        for name in names[-2:]:
            assert f"EXPERIMENT = {sent.pk}" in archive.read(name).decode()
        cells = json.loads(archive.read("experiment.ipynb"))["cells"]
        assert all(not cell.get("outputs") for cell in cells)
    again = client.get(address(sent, "data_archive", "csv.gz"))
    assert again.getvalue() == content


# --- For whom ---


def test_unpublished_experiment_is_private(client, sent):
    for name in ("games", "predictions-1", "ratings"):
        assert client.get(address(sent, "data_file", name, "csv.gz")).status_code == 404
    assert client.get(address(sent, "data")).status_code == 404
    assert client.get(address(sent, "data_archive", "csv.gz")).status_code == 404
    client.force_login(committee_member())
    response = client.get(address(sent, "data_file", "games", "csv.gz"))
    assert len(lines_of(response.getvalue())) == sent.history.games
    assert "Cookie" in response["Vary"]
    assert "private" in response["Cache-Control"]


@pytest.mark.parametrize("name", ["games-1", "predictions-9", "predictions", "members"])
def test_file_that_is_not_there_is_not_found(client, sent, name):
    client.force_login(committee_member())
    assert is_not_found(client.get(address(sent, "data_file", name, "csv.gz")))
    assert is_not_found(client.get(address(sent, "data_file", "games", "exe")))


def test_games_of_a_file_stay_with_the_committee(client, sent):
    published(sent)
    page = client.get(address(sent, "data"))
    assert "This experiment has no public files." in page.content.decode()
    assert client.get(address(sent, "data_file", "games", "csv.gz")).status_code == 404


@pytest.mark.parametrize(
    ("asked", "tells"),
    [
        (OWN, False),
        (
            RunOptions(
                chosen=GameSelection(state="OH", first_day=date(2024, 1, 1)),
                newcomers="own",
            ),
            False,
        ),
        (RunOptions(chosen=GameSelection(), newcomers="common"), False),
        (RunOptions(chosen=GameSelection(), newcomers="ours"), True),
        (RunOptions(chosen=GameSelection(low=500), newcomers="own"), True),
        (RunOptions(chosen=GameSelection(high=800), newcomers="own"), True),
        (RunOptions(chosen=None, newcomers="own"), True),
    ],
)
def test_what_depends_on_more_than_public_games_is_known(asked, tells):
    assert reveals_initial_ratings(Experiment(plan=asked.as_json())) is tells


def test_variants_without_ages_are_public(client):
    ratings_of_history(date(2012, 3, 4))
    experiment = published(
        finished_experiment(asked=OWN, file=None, variants=[OURS, GLICKO])
    )
    assert for_committee(experiment).names() == [
        *("variants", "games", "predictions-1", "predictions-2", "ratings")
    ]
    open_data = public_files(experiment)
    assert open_data.names() == ["variants", "games", "predictions-2", "ratings"]
    assert {line["variant"] for line in lines_of(content_of(open_data, "ratings"))} == {
        "2"
    }
    shown = client.get(f"/api/v1/laboratory/experiments/{experiment.pk}").json()
    assert [name for name in shown["files"] if name.endswith(".csv.gz")] == [
        address(experiment, "data_file", name, "csv.gz") for name in open_data.names()
    ]
    assert client.get(shown["files"][0]).getvalue()
    seeded = RunOptions(
        chosen=GameSelection(), warm_up_days=0, least_games=0, newcomers="ours"
    )
    other = published(
        finished_experiment(asked=seeded, file=None, variants=[GLICKO, ELO])
    )
    assert public_files(other).names() == []


def test_public_files_do_not_depend_on_birth_dates():
    """So they reveal no birth date; the committee's files would."""
    found = {True: [], False: []}
    for born in (date(2012, 3, 4), date(2014, 11, 30)):
        with transaction.atomic():
            ratings_of_history(born)
            variants = [OURS, GLICKO, ELO]
            done = published(
                finished_experiment(asked=OWN, file=None, variants=variants)
            )
            for for_committee, contents in found.items():
                data = ExperimentData(done, for_committee=for_committee)
                contents.append([content_of(data, name) for name in data.names()])
            transaction.set_rollback(True)
    assert len(found[False][0]) == 5
    assert found[False][0] == found[False][1]
    assert found[True][0] != found[True][1]


class Years(list):
    """Years of birth that record whether they are read."""

    was_read = False

    def __getitem__(self, place):
        self.was_read = True
        return super().__getitem__(place)

    def __iter__(self):
        self.was_read = True
        return super().__iter__()


def reads_birth_years(key: str, history: History) -> bool:
    years = Years([2010] * len(history.ids))

    class Watched(History):
        @property
        def pool(self) -> Pool:
            return Pool(len(self.ids), years)

    run(RUNNABLE[key], None, Watched(**vars(history)), Plan())
    return years.was_read


@pytest.mark.parametrize("key", RUNNABLE)
def test_system_that_looks_at_ages_says_so(key, small_history):
    assert RUNNABLE[key].uses_birth_years or not reads_birth_years(key, small_history)


def test_looking_at_ages_is_noticed(small_history):
    assert reads_birth_years("dwz", small_history)


@pytest.fixture(scope="module")
def small_history() -> History:
    return generate_history(Federation(players=60, months=4)).history
