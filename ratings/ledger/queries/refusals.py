"""What the engine refuses, as sentences that can be said in any language."""

from datetime import date

from events.importers.sentences import Sentence, say, say_day
from ratings.engine.dated import NoRuleInForce
from ratings.engine.time_controls import BadTimeControl, NotRatable
from ratings.engine.wording import Worded


def sentence_of(text: Worded) -> Sentence:
    """Return a sentence of the engine as one that findings keep.

    >>> from ratings.engine.wording import worded
    >>> sentence_of(worded("Nothing before {day}.", day=date(2024, 5, 4)))
    'Nothing before 4 May 2024.'
    """
    values = {
        name: say_day(value) if isinstance(value, date) else value
        for name, value in text.values.items()
    }
    return say(text.pattern, **values)


def refusal(error: BadTimeControl | NotRatable | NoRuleInForce) -> Sentence:
    """Return what the engine raised, in a sentence."""
    if isinstance(error, NoRuleInForce):
        return say(
            "Not every rule is known for sections that start on {day}, so nothing can "
            "be calculated. Missing: {rule}.",
            day=say_day(error.day),
            rule=say(error.rule),
        )
    return sentence_of(error.args[0])
