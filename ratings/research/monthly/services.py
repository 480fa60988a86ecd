"""The monthly comparison: each month all systems, on the newest rated games.

It is an experiment like others, but requested automatically: the same job, stored and
repeated in the same way. Once it is done it never changes.
"""

from datetime import date, timedelta

from django.db import transaction
from django.utils.translation import gettext as _
from django.utils.translation import override

from events.models import Game
from ratings.laboratory.experiment import Newcomers
from ratings.laboratory.protocol import Shape
from ratings.laboratory.registry import RUNNABLE
from ratings.lists.months import months_before
from ratings.models import Calculation, Experiment
from ratings.research.experiments.plans import GameSelection, RunOptions, Variant
from ratings.research.experiments.services.lifecycle import new_experiment, wake_worker
from ratings_site.common.audit.services import record
from ratings_site.common.ui.formatting import format_month

SYSTEM = "OTBR"
# Reports of a month come until this day of the next one; then it is compared.
DUE_DAY = 10
# So many months are predicted, after so many to warm up: the first that fit. A million
# games under all systems take ten minutes of processor and 3 GB of memory.
SPANS = ((12, 24), (12, 12), (12, 6), (6, 6), (3, 3), (1, 2))
MAX_GAMES = 1_000_000
# Systems that rate the whole pool in each period take part up to so many games.
MAX_GAMES_FOR_WHOLE_POOLS = 50_000


def due_month(today: date) -> date:
    """Return the newest month that is due, as its first day.

    >>> due_month(date(2024, 6, 10)), due_month(date(2024, 6, 9))
    (datetime.date(2024, 5, 1), datetime.date(2024, 4, 1))
    """
    return months_before(today, 1 if today.day >= DUE_DAY else 2)


def request_monthly_comparison(month: date) -> Experiment | None:
    """Queue the comparison of a *month*; None if it exists already or has no games.

    The twelve months up to its end are predicted, fewer where games are very many.
    """
    last_day = months_before(month, -1) - timedelta(days=1)
    if Experiment.objects.filter(standing_month=month).exists() or not _games(
        month, last_day
    ):
        return None
    first_day, test_from, games = _beginning(month, last_day)
    with override(None):
        title = _("Monthly comparison, {month}").format(month=format_month(month))
        reason = _("Monthly comparison of all systems on the latest games.")
    with transaction.atomic():
        experiment = new_experiment(
            Experiment(
                title=title,
                reason=reason,
                kind=Experiment.Kind.COMPARISON,
                plan=RunOptions(
                    chosen=GameSelection(SYSTEM, first_day, last_day),
                    test_from=test_from,
                    newcomers=Newcomers.OURS.value,
                ).as_json(),
                standing_month=month,
                public_title=title,
                public_reason=reason,
            ),
            [Variant(key) for key in systems_for(games)],
        )
        record("experiment.asked", subject=experiment, actor=None, reason=reason)
        wake_worker(experiment)
    return experiment


def systems_for(games: int) -> list[str]:
    """Return the keys of the systems that are compared on so many games."""
    return [
        key
        for key, system in RUNNABLE.items()
        if system.about.shape is not Shape.WHOLE_POOL
        or games <= MAX_GAMES_FOR_WHOLE_POOLS
    ]


def _beginning(month: date, last_day: date) -> tuple[date, date, int]:
    """Return when the warm-up and the predictions begin, and all games from there."""
    for predicted, warm_up in SPANS:
        test_from = months_before(month, predicted - 1)
        first_day = months_before(test_from, warm_up)
        games = _games(first_day, last_day)
        if games <= MAX_GAMES:
            break
    return first_day, test_from, games


def _games(first_day: date, last_day: date) -> int:
    calculations = Calculation.objects.filter(
        system=SYSTEM,
        is_current=True,
        section__isnull=False,
        order_date__range=(first_day, last_day),
    )
    return Game.objects.filter(section__in=calculations.values("section")).count()
