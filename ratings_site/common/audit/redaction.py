"""Redaction of personal fields in the audit log.

The log is append-only, so a personal value in it could not be deleted when a member
asks for deletion.
"""

from typing import Any

# Personal fields, by their names in models and forms.
PERSONAL_FIELDS = frozenset(
    {
        *("birth_date", "birth_year", "gender"),
        *("email", "first_name", "last_name"),
        *("password", "password1", "password2"),
    }
)
CHANGED = "changed"


def redact_personal(facts: dict[str, Any]) -> dict[str, Any]:
    """Return *facts* with the values of personal fields replaced by "changed".

    >>> redact_personal({"birth_date": {"from": "", "to": "2014-03-01"}, "state": "OH"})
    {'birth_date': 'changed', 'state': 'OH'}
    """
    return {
        name: CHANGED
        if name in PERSONAL_FIELDS
        else redact_personal(value)
        if isinstance(value, dict)
        else value
        for name, value in facts.items()
    }
