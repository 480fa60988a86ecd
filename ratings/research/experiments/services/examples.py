"""Example experiments, to be started with one button."""

from django.utils.translation import gettext as _

from ratings.laboratory.experiment import Newcomers
from ratings.laboratory.rule_change import EXAMPLES as CHANGES
from ratings.laboratory.rule_change import Variant as Side
from ratings.models import Experiment
from ratings.research.experiments.plans import GameSelection, RunOptions, Variant
from ratings.research.experiments.services.lifecycle import request_experiment
from ratings_site.common.models import User

EXAMPLES = {change.key: change for change in CHANGES}


def start_example(*, name: str, actor: User | None) -> Experiment:
    """Request a past change of our rules, on all regular rated games.

    Raises KeyError if there is no example of this name.
    """
    change = EXAMPLES[name]
    return request_experiment(
        actor=actor,
        title=_(change.label),
        reason=_("Laboratory example."),
        kind=Experiment.Kind.RULE_CHANGE,
        asked=RunOptions(
            chosen=GameSelection(first_day=change.first_day),
            newcomers=Newcomers.OWN.value,
            since=change.day,
        ),
        variants=[_variant(change.before), _variant(change.after)],
    )


def _variant(side: Side) -> Variant:
    return Variant(side.system, tuple(side.parameters.items()))
