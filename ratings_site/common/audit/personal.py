"""What the record of acts never repeats: it says that it changed, and no more.

The record is never edited, so a value once written in it could not be taken back from
it when somebody asks to be forgotten.
"""

from typing import Any

# Fields of people, by their names in our models and forms.
PERSONAL = frozenset(
    {
        *("birth_date", "birth_year", "gender"),
        *("email", "first_name", "last_name"),
        *("password", "password1", "password2"),
    }
)
CHANGED = "changed"


def without_values(facts: dict[str, Any]) -> dict[str, Any]:
    """Return *facts* in which personal fields only say that they changed.

    >>> without_values({"birth_date": {"from": "", "to": "2014-03-01"}, "state": "OH"})
    {'birth_date': 'changed', 'state': 'OH'}
    """
    return {
        name: CHANGED
        if name in PERSONAL
        else without_values(value)
        if isinstance(value, dict)
        else value
        for name, value in facts.items()
    }
