"""The notebooks repeat an experiment's table from its files, to the last printed digit.

Their cells are run unchanged; neither Jupyter nor knitr is needed for that.
"""

import csv
import json
import re
import shutil
import subprocess
import zipfile
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path

import pytest

from ratings.laboratory.measures import MEASURES
from ratings.models import Experiment
from ratings.research.experiments.queries.experiments import sheets_of
from ratings.research.experiments.queries.sheets import _estimated
from ratings.research.experiments.services.exports import ExperimentData, archive
from ratings_site.common.web.files import available_formats
from tests.ratings.research.experiments.factories import finished_experiment

pytestmark = pytest.mark.django_db

SLOWEST = 120  # seconds


@pytest.fixture(scope="module")
def done(module_data) -> Experiment:
    return finished_experiment()


@pytest.fixture
def folder(done, tmp_path, request) -> Path:
    """A folder with the unpacked archive."""
    content = b"".join(archive(ExperimentData(done, for_committee=True), request.param))
    with zipfile.ZipFile(BytesIO(content)) as whole:
        whole.extractall(tmp_path)
    return tmp_path


def printed(experiment: Experiment) -> dict[str, dict[str, str]]:
    """Return what the page prints of each variant, by its label, without ranges."""
    found = {}
    labels = {one.number: one.label for one in experiment.variants.all()}
    for one in experiment.results["variants"]:
        values = {key: _point(one["measures"][key][0], key) for key in MEASURES}
        values["player_month_rmse"] = _point(
            one["player_month_rmse"][0], "player_month_rmse"
        )
        values["games_predicted"] = f"{one['predicted']:,}"
        found[labels[one["number"]]] = values
    return found


def _point(value: float, key: str) -> str:
    return _estimated([value, None, None], key)


def as_printed(rows: list[dict[str, object]]) -> dict[str, dict[str, str]]:
    """Return a notebook's table in the same form."""
    return {
        row["label"]: {
            **{
                key: _point(float(row[key]), key)
                for key in (*MEASURES, "player_month_rmse")
            },
            "games_predicted": f"{int(row['games_predicted']):,}",
        }
        for row in rows
    }


def differences(experiment: Experiment) -> dict[str, float | None]:
    labels = {one.number: one.label for one in experiment.variants.all()}
    return {
        labels[one["number"]]: (one["against_reference"] or [0.0])[0]
        for one in experiment.results["variants"]
    }


def test_what_is_compared_is_what_the_page_prints(done):
    """Else all of this would hold a table against itself."""
    sheets = sheets_of(done, for_committee=True)
    both = zip(sheets["measures"].cells, sheets["other-measures"].cells, strict=True)
    for row, others in both:
        values = printed(done)[row[0]]
        assert row[-1] == values["games_predicted"]
        assert row[3].startswith(values["scaled_deviance"])
        assert (others[0], others[-1]) == (row[0], values["player_month_rmse"])


@pytest.mark.parametrize("folder", available_formats(), indirect=True)
def test_python_notebook_repeats_the_table(folder, done, require_services, monkeypatch):
    if not (find_spec("polars") and find_spec("altair")):
        words = "Polars and Altair are missing: make notebooks"
        pytest.fail(words) if require_services else pytest.skip(words)
    monkeypatch.chdir(folder)
    cells = json.loads((folder / "experiment.ipynb").read_text())["cells"]
    names: dict[str, object] = {}
    for cell in cells:
        if cell["cell_type"] == "code":
            exec("".join(cell["source"]), names)  # noqa: S102 - our own notebook
    rows = names["table"].to_dicts()
    assert as_printed(rows) == printed(done)
    assert [row["label"] for row in rows] == list(printed(done))
    for row in rows:
        expected = differences(done)[row["label"]]
        assert row["against_reference"] == pytest.approx(expected, abs=1e-9)
    drawn = names["chart"].to_dict()
    assert sum(one["games"] for one in names["calibration"].to_dicts()) == (
        len(rows) * done.results["games"]
    )
    assert len(drawn["layer"]) == 2
    assert names["spread"].to_dict()["mark"]["type"] == "line"


@pytest.mark.skipif(shutil.which("Rscript") is None, reason="R is not installed")
@pytest.mark.parametrize("folder", ["csv.gz"], indirect=True)
def test_r_notebook_repeats_the_table(folder, done):
    text = (folder / "experiment.Rmd").read_text()
    chunks = re.findall(r"^```\{r\}\n(.*?)^```$", text, re.M | re.S)
    chunks.append('write.csv(format(table, digits = 15), "table.csv")')
    (folder / "experiment.R").write_text("\n".join(chunks))
    ran = subprocess.run(
        ["Rscript", "--vanilla", "experiment.R"],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=SLOWEST,
    )
    assert ran.returncode == 0, ran.stderr
    with (folder / "table.csv").open(newline="") as lines:
        rows = [
            {key: value.strip() for key, value in row.items()}
            for row in csv.DictReader(lines)
        ]
    assert as_printed(rows) == printed(done)
    for row in rows:
        expected = differences(done)[row["label"]]
        assert float(row["against_reference"]) == pytest.approx(expected, abs=1e-9)
