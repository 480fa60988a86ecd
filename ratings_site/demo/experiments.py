"""Finished experiments of the demo federation, for everybody to see."""

from datetime import date

from django.utils import timezone

from ratings.experiments.plans import Asked, Chosen, Variant
from ratings.experiments.services.asking import ask_experiment, publish_experiment
from ratings.lists.months import months_before
from ratings.models import Experiment
from ratings.standing.services import ask_standing, due_month
from ratings_site.common.jobs.services import work_off
from ratings_site.common.models import User

SYSTEMS = ("uschess.2025_07", "elo.logistic", "fide.standard", "glicko", "harkness")
# From this day on the club plays; the sections before it have few players in common.
FIRST_DAY = date(2024, 1, 1)
STANDING_MONTHS = 2


def publish_demo_experiment(manager: User) -> Experiment:
    """Compare a few systems on the club's games and let everybody see it."""
    experiment = ask_experiment(
        actor=manager,
        title="Which system predicts the club’s games best?",
        reason="The demo shows what the laboratory is for.",
        kind=Experiment.Kind.COMPARISON,
        asked=Asked(chosen=Chosen(first_day=FIRST_DAY)),
        variants=[Variant(system) for system in SYSTEMS],
    )
    work_off()
    return publish_experiment(
        experiment_id=experiment.pk,
        actor=manager,
        public_title="Which system predicts the club’s games best?",
        reason="Made-up games: it shows what such a comparison looks like.",
    )


def compare_last_months() -> None:
    """Have the standing comparison of the last months, as if the office had been on."""
    due = due_month(timezone.localdate())
    for before in reversed(range(STANDING_MONTHS)):
        ask_standing(months_before(due, before))
        work_off()
