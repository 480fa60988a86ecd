"""Experiments for the tests, on games of a made-up federation."""

from datetime import date
from typing import Any

from django.contrib.auth.models import Group

from events.review.groups import COMMITTEE
from ratings.models import Experiment
from ratings.research.experiments.plans import RunOptions, Variant
from ratings.research.experiments.services.lifecycle import request_experiment
from ratings_site.common.jobs.services import run_due_jobs
from ratings_site.common.models import User
from tests.factories import make_user
from tests.ratings.laboratory.synthetic import Federation, generate_history

REASON = "The committee wants to know."
ELO, GLICKO = Variant("elo.logistic"), Variant("glicko")
RESULTS = {1.0: "1-0", 0.5: "1/2-1/2", 0.0: "0-1"}


def committee_member() -> User:
    """A member of the ratings committee who does not work for the office."""
    user = make_user()
    user.groups.add(Group.objects.get(name=COMMITTEE))
    return user


def games_csv(*, players: int = 40, months: int = 6) -> bytes:
    """Return the games of a made-up federation as an uploaded file."""
    history = generate_history(Federation(players=players, months=months)).history
    games = history.games
    lines = ["date,event,white,black,result"]
    for white, black, points, day, event in zip(
        games.white, games.black, games.points, games.days, games.events, strict=True
    ):
        lines.append(
            f"{date.fromordinal(day)},Event {event},Player {white},Player {black},"
            f"{RESULTS[points]}"
        )
    return "\n".join(lines).encode()


def requested_experiment(actor: User | None = None, **changes: Any) -> Experiment:
    """Ask for a comparison over a file, and leave it to the worker."""
    given: dict[str, Any] = {
        "actor": actor,
        "title": "Elo or Glicko?",
        "reason": REASON,
        "kind": "comparison",
        "asked": RunOptions(
            chosen=None, warm_up_days=60, least_games=0, newcomers="ours"
        ),
        "variants": [ELO, GLICKO],
        "file": ("games.csv", games_csv()),
    }
    return request_experiment(**given | changes)


def finished_experiment(actor: User | None = None, **changes: Any) -> Experiment:
    """Ask for a comparison and have it worked off."""
    experiment = requested_experiment(actor, **changes)
    run_due_jobs()
    experiment.refresh_from_db()
    return experiment
