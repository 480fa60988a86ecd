"""An experiment in real processes, one of which is killed without any warning."""

import pytest

from tests.real_office import Office, wait_for

# One at a time with the other tests of real processes: they share a port.
pytestmark = pytest.mark.xdist_group("real workers")

ASK = """
import django; django.setup()
from ratings.experiments.plans import Variant
from tests.ratings.experiments.experiments import asked_experiment, games_csv
variants = [Variant("glicko", (("c", float(c)),)) for c in range(11, 17)]
content = games_csv(players=40, months=12)
asked_experiment(variants=variants, file=("games.csv", content))
"""


def finished(office: Office) -> list[tuple]:
    """Return number and time of each variant that is done, and of no half one."""
    variants = "FROM ratings_experimentvariant WHERE"
    halves = "digest <> '' AND (result IS NULL OR finished_at IS NULL)"
    assert office.ask(f"SELECT count(*) {variants} {halves}") == 0
    return office.rows(f"SELECT number, finished_at {variants} digest <> ''")


def test_experiment_whose_process_is_killed_goes_on_with_what_is_missing(embedded):
    embedded.python(ASK)
    third = "UPDATE OF digest ON ratings_experimentvariant WHEN NEW.number = 3"
    state = "SELECT status, results IS NULL FROM ratings_experiment"
    with embedded.stuck(third):
        first = embedded.start("serve", "--bind", "127.0.0.1:8932")
        wait_for(lambda: len(finished(embedded)) == 2)
        embedded.kill(first)
    assert embedded.rows(state) == [("running", 1)]
    before = finished(embedded)
    assert len(before) == 2

    embedded.start("serve", "--bind", "127.0.0.1:8932")
    wait_for(lambda: embedded.rows(state) == [("done", 0)])
    # What was done before the kill was not done again.
    assert finished(embedded)[:2] == before
    assert len(finished(embedded)) == 6
    assert embedded.ask("SELECT attempts FROM common_job") == 2
