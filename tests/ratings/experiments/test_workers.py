"""An experiment in real processes, one of which is killed without any warning."""

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
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
    return office.rows(
        f"SELECT number, finished_at {variants} digest <> '' ORDER BY number"
    )


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


BOOKS = """
import django; django.setup()
from datetime import date, timedelta
from ratings.experiments.plans import Asked, Chosen, VariedRules
from ratings.experiments.services.asking import ask_experiment
from tests.factories import *
from tests.ratings.rerates.offices import play
td = make_td()
members = [make_player(ratings={"OTBR": (1400.0 + n, 12 + n)}) for n in range(12)]
for week in range(4):
    play(td, members, ends=date(2024, 3, 2) + timedelta(7 * week))
ask_experiment(
    actor=None,
    title="K?",
    reason="The committee wants to know.",
    kind="our_rules",
    asked=Asked(chosen=Chosen()),
    variants=[VariedRules((("k", k, None, None),) if k else ()) for k in (0, 1.5, 2.0)],
)
"""

ON_PURPOSE = """
import django; django.setup()
from ratings.experiments.services.asking import {act}_experiment
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
    """Hold a worker where it tells how far the replay of the second variant is."""
    waiting = "SELECT count(*) FROM pg_locks WHERE objid = 14 AND NOT granted"
    with psycopg.connect(office.environment["DATABASE_URL"]) as holder:
        holder.execute(PAUSE)
        holder.commit()
        holder.execute("SELECT pg_advisory_xact_lock(14)")
        office.start("worker", "--processes", "1")
        wait_for(lambda: office.ask(waiting))
        yield


def test_canceled_in_the_middle_of_a_replay_it_keeps_what_was_finished(production):
    production.python(BOOKS)
    state = "SELECT status, results IS NULL FROM ratings_experiment"
    job = "SELECT state, message FROM common_job WHERE kind = 'ratings.experiment'"
    with paused_in_its_second_replay(production):
        assert production.rows(state) == [("running", True)]
        production.python(ON_PURPOSE.format(act="cancel"))
    wait_for(lambda: production.rows(job) == [("done", "Canceled.")])
    assert production.rows(state) == [("canceled", True)]
    [control] = finished(production)
    assert control[0] == 1

    production.python(ON_PURPOSE.format(act="resume"))
    wait_for(lambda: production.rows(state) == [("done", False)])
    assert finished(production)[0] == control
    assert len(finished(production)) == 3
