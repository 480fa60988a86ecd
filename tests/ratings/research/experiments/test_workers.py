"""An experiment in real processes, one of which is killed without any warning."""

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
import pytest

from tests.live_office import Office, wait_for

# One at a time with the other tests of real processes: they share a port.
pytestmark = [pytest.mark.xdist_group("real workers"), pytest.mark.gate]

ASK = """
import django; django.setup()
from ratings.research.experiments.plans import Variant
from tests.ratings.research.experiments.factories import requested_experiment, games_csv
variants = [Variant("glicko", (("c", float(c)),)) for c in range(11, 17)]
content = games_csv(players=40, months=12)
requested_experiment(variants=variants, file=("games.csv", content))
"""


def finished(office: Office) -> list[tuple]:
    """Return number and time of each variant that is done, and of no half one."""
    variants = "FROM ratings_experimentvariant WHERE"
    halves = "digest <> '' AND (result IS NULL OR finished_at IS NULL)"
    assert office.ask(f"SELECT count(*) {variants} {halves}") == 0
    return office.rows(
        f"SELECT number, finished_at {variants} digest <> '' ORDER BY number"
    )


def test_experiment_whose_process_is_killed_goes_on_with_what_is_missing(
    embedded_office,
):
    embedded_office.python(ASK)
    third = "UPDATE OF digest ON ratings_experimentvariant WHEN NEW.number = 3"
    state = "SELECT status, results IS NULL FROM ratings_experiment"
    with embedded_office.hang_at(third):
        first = embedded_office.start("serve", "--bind", "127.0.0.1:8932")
        wait_for(lambda: len(finished(embedded_office)) == 2)
        embedded_office.kill(first)
    assert embedded_office.rows(state) == [("running", 1)]
    before = finished(embedded_office)
    assert len(before) == 2

    embedded_office.start("serve", "--bind", "127.0.0.1:8932")
    wait_for(lambda: embedded_office.rows(state) == [("done", 0)])
    # The work done before the kill was not done again.
    assert finished(embedded_office)[:2] == before
    assert len(finished(embedded_office)) == 6
    assert embedded_office.ask("SELECT attempts FROM common_job") == 2


BOOKS = """
import django; django.setup()
from datetime import date, timedelta
from ratings.research.experiments.plans import GameSelection, RulesVariant, RunOptions
from ratings.research.experiments.services.lifecycle import request_experiment
from tests.factories import *
from tests.ratings.rerates.factories import play
td = make_td()
members = [make_player(ratings={"OTBR": (1400.0 + n, 12 + n)}) for n in range(12)]
for week in range(4):
    play(td, members, ends=date(2024, 3, 2) + timedelta(7 * week))
request_experiment(
    actor=None,
    title="K?",
    reason="The committee wants to know.",
    kind="our_rules",
    asked=RunOptions(chosen=GameSelection()),
    variants=[
        RulesVariant((("k", k, None, None),) if k else ()) for k in (0, 1.5, 2.0)
    ],
)
"""

ON_PURPOSE = """
import django; django.setup()
from ratings.research.experiments.services.lifecycle import {act}_experiment
from ratings.models import Experiment
{act}_experiment(experiment_id=Experiment.objects.get().pk, actor=None, reason="Tried.")
"""

PAUSE = """
CREATE FUNCTION pause() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(14);
    RETURN NEW;
END $$;
CREATE TRIGGER pause BEFORE UPDATE ON common_job FOR EACH ROW
    WHEN (NEW.message LIKE 'Variant 2 of%') EXECUTE FUNCTION pause()
"""


@contextmanager
def paused_in_its_second_replay(office: Office) -> Iterator[None]:
    """Pause a worker where it reports progress of the second variant's replay."""
    waiting = "SELECT count(*) FROM pg_locks WHERE objid = 14 AND NOT granted"
    with psycopg.connect(office.environment["DATABASE_URL"]) as holder:
        holder.execute(PAUSE)
        holder.commit()
        holder.execute("SELECT pg_advisory_xact_lock(14)")
        office.start("worker", "--processes", "1")
        wait_for(lambda: office.ask(waiting))
        yield


def test_canceled_in_the_middle_of_a_replay_it_keeps_what_was_finished(
    production_office,
):
    production_office.python(BOOKS)
    state = "SELECT status, results IS NULL FROM ratings_experiment"
    job = "SELECT state, message FROM common_job WHERE kind = 'ratings.experiment'"
    with paused_in_its_second_replay(production_office):
        assert production_office.rows(state) == [("running", True)]
        production_office.python(ON_PURPOSE.format(act="cancel"))
    wait_for(lambda: production_office.rows(job) == [("done", "Canceled.")])
    assert production_office.rows(state) == [("canceled", True)]
    [control] = finished(production_office)
    assert control[0] == 1

    production_office.python(ON_PURPOSE.format(act="resume"))
    wait_for(lambda: production_office.rows(state) == [("done", False)])
    assert finished(production_office)[0] == control
    assert len(finished(production_office)) == 3
