"""Experiments for the tests, on games of a made-up federation."""

from datetime import date
from typing import Any

from django.contrib.auth.models import Group

from events.office.groups import COMMITTEE
from ratings.experiments.plans import Asked, Variant
from ratings.experiments.services.asking import ask_experiment
from ratings.models import Experiment
from ratings_site.common.jobs.services import work_off
from ratings_site.common.models import User
from tests.factories import make_user
from tests.ratings.laboratory.synthetic import Federation, made_up

REASON = "The committee wants to know."
ELO, GLICKO = Variant("elo.logistic"), Variant("glicko")
RESULTS = {1.0: "1-0", 0.5: "1/2-1/2", 0.0: "0-1"}


def committee_member() -> User:
    """Somebody of the ratings committee who does not belong to the office."""
    user = make_user()
    user.groups.add(Group.objects.get(name=COMMITTEE))
    return user


def games_csv(*, players: int = 40, months: int = 6) -> bytes:
    """Return the games of a made-up federation as somebody would send them."""
    history = made_up(Federation(players=players, months=months)).history
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


def asked_experiment(actor: User | None = None, **changes: Any) -> Experiment:
    """Ask for a comparison over a file, and leave it to the worker."""
    given: dict[str, Any] = {
        "actor": actor,
        "title": "Elo or Glicko?",
        "reason": REASON,
        "kind": "comparison",
        "asked": Asked(chosen=None, warm_up_days=60, least_games=0, newcomers="ours"),
        "variants": [ELO, GLICKO],
        "file": ("games.csv", games_csv()),
    }
    return ask_experiment(**given | changes)


def done_experiment(actor: User | None = None, **changes: Any) -> Experiment:
    """Ask for a comparison and have it worked off."""
    experiment = asked_experiment(actor, **changes)
    work_off()
    experiment.refresh_from_db()
    return experiment
