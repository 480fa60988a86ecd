"""Published experiments of the demo federation."""

from datetime import date

from django.utils import timezone

from ratings.lists.months import months_before
from ratings.models import Experiment
from ratings.research.experiments.plans import GameSelection, RunOptions, Variant
from ratings.research.experiments.services.lifecycle import (
    publish_experiment,
    request_experiment,
)
from ratings.research.monthly.services import due_month, request_monthly_comparison
from ratings_site.common.jobs.services import run_due_jobs
from ratings_site.common.models import User

SYSTEMS = ("uschess.2025_07", "elo.logistic", "fide.standard", "glicko", "harkness")
# The club plays from this day on; earlier sections share few players.
FIRST_DAY = date(2024, 1, 1)
STANDING_MONTHS = 2


def publish_demo_experiment(manager: User) -> Experiment:
    """Compare a few rating systems on the club's games and publish the result."""
    experiment = request_experiment(
        actor=manager,
        title="Which system predicts the club’s games best?",
        reason="The demo shows what the laboratory is for.",
        kind=Experiment.Kind.COMPARISON,
        asked=RunOptions(chosen=GameSelection(first_day=FIRST_DAY)),
        variants=[Variant(system) for system in SYSTEMS],
    )
    run_due_jobs()
    return publish_experiment(
        experiment_id=experiment.pk,
        actor=manager,
        public_title="Which system predicts the club’s games best?",
        reason="Made-up games: it shows what such a comparison looks like.",
    )


def compare_last_months() -> None:
    """Run the monthly comparisons of the last months."""
    due = due_month(timezone.localdate())
    for before in reversed(range(STANDING_MONTHS)):
        request_monthly_comparison(months_before(due, before))
        run_due_jobs()
