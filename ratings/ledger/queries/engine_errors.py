"""Errors of the engine as translatable sentences."""

from datetime import date

from events.formats.translatable_text import (
    TranslatableText,
    translatable,
    translatable_date,
)
from ratings.engine.messages import EngineMessage
from ratings.engine.rule_history import NoRuleInForce
from ratings.engine.time_controls import BadTimeControl, NotRatable


def to_sentence(text: EngineMessage) -> TranslatableText:
    """Return a message of the engine as the text that findings store.

    >>> from ratings.engine.messages import engine_message
    >>> to_sentence(engine_message("Nothing before {day}.", day=date(2024, 5, 4)))
    'Nothing before May 4, 2024.'
    """
    values = {
        name: translatable_date(value) if isinstance(value, date) else value
        for name, value in text.values.items()
    }
    return translatable(text.pattern, **values)


def refusal(error: BadTimeControl | NotRatable | NoRuleInForce) -> TranslatableText:
    """Return an exception of the engine as a sentence."""
    if isinstance(error, NoRuleInForce):
        return translatable(
            "We do not have all rules for sections that start on {day}, so we cannot "
            "calculate ratings. Missing: {rule}.",
            day=translatable_date(error.day),
            rule=translatable(error.rule),
        )
    return to_sentence(error.args[0])
