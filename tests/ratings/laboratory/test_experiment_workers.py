"""An experiment in real processes, one of which is killed without any warning."""

import json

import pytest

from tests.real_office import wait_for

# One at a time with the other tests of real processes: they share a port.
pytestmark = pytest.mark.xdist_group("real workers")

ASK = """
import django; django.setup()
from ratings.experiments.plans import Variant
from tests.ratings.laboratory.experiments import asked_experiment, games_csv
variants = [Variant("glicko", (("c", float(c)),)) for c in range(11, 17)]
content = games_csv(players=40, months=12)
asked_experiment(variants=variants, file=("games.csv", content))
"""
REPORT = """
import django; django.setup()
import json
from ratings.models import Experiment
from ratings_site.common.models import Job
experiment, job = Experiment.objects.get(), Job.objects.get()
times = experiment.variants.values_list("number", "finished_at")
print(json.dumps({
    "status": experiment.status,
    "has_results": experiment.results is not None,
    "finished": [[number, str(at)] for number, at in times if at],
    "halves": experiment.variants.filter(result=None).exclude(digest="").count(),
    "attempts": job.attempts,
}))
"""


def test_experiment_whose_process_is_killed_goes_on_with_what_is_missing(embedded):
    embedded.python(ASK)
    done = "SELECT count(*) FROM ratings_experimentvariant WHERE digest <> ''"
    third = "UPDATE OF digest ON ratings_experimentvariant WHEN NEW.number = 3"
    with embedded.stuck(third):
        first = embedded.start("serve", "--bind", "127.0.0.1:8932")
        wait_for(lambda: embedded.ask(done) == 2)
        embedded.kill(first)
    killed = json.loads(embedded.python(REPORT))
    assert (killed["status"], killed["has_results"]) == ("running", False)
    assert len(killed["finished"]) == 2
    assert killed["halves"] == 0

    embedded.start("serve", "--bind", "127.0.0.1:8932")
    wait_for(lambda: embedded.ask("SELECT status FROM ratings_experiment") == "done")
    whole = json.loads(embedded.python(REPORT))
    assert len(whole["finished"]) == 6
    # What was done before the kill was not done again.
    assert whole["finished"][:2] == killed["finished"]
    assert whole["attempts"] == 2
