"""Experiments that come with the laboratory, to be started with one button."""

from django.utils.translation import gettext as _

from ratings.experiments.plans import Asked, Chosen, Variant
from ratings.experiments.services.asking import ask_experiment
from ratings.laboratory.experiment import Newcomers
from ratings.laboratory.rule_change import EXAMPLES as CHANGES
from ratings.laboratory.rule_change import Variant as Side
from ratings.models import Experiment
from ratings_site.common.models import User

EXAMPLES = {change.key: change for change in CHANGES}


def start_example(*, name: str, actor: User | None) -> Experiment:
    """Ask for a change of our rules, as it happened, on all regular games of the books.

    Raises KeyError if there is no example of this name.
    """
    change = EXAMPLES[name]
    return ask_experiment(
        actor=actor,
        title=_(change.label),
        reason=_("One of the examples that come with the laboratory."),
        kind=Experiment.Kind.RULE_CHANGE,
        asked=Asked(
            chosen=Chosen(first_day=change.first_day),
            newcomers=Newcomers.OWN.value,
            since=change.day,
        ),
        variants=[_variant(change.before), _variant(change.after)],
    )


def _variant(side: Side) -> Variant:
    return Variant(side.system, tuple(side.parameters.items()))
