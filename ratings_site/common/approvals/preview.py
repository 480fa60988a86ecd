"""Previews: sentences that say what an action will do."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from django.utils.translation import gettext as _

from ratings_site.common.accounts.queries import permission_holders
from ratings_site.common.approvals.kinds import Refusal
from ratings_site.common.models import User
from ratings_site.common.ui.formatting import format_day

# The code of the line that says why an action would fail.
IMPOSSIBLE = "impossible"


@dataclass(frozen=True, slots=True)
class PreviewLine:
    """One sentence of a preview. *level* selects an icon, if any."""

    code: str
    sentence: str
    level: str = ""


# Returns the preview of an action, given its facts (the payload of a pending approval)
# and the reader.
PreviewFunction = Callable[[Mapping[str, Any], User], Sequence[PreviewLine]]
_preview_functions: dict[str, PreviewFunction] = {}


def register_preview(kind: str) -> Callable[[PreviewFunction], PreviewFunction]:
    """Register the function that returns the preview of actions of *kind*."""

    def register(function: PreviewFunction) -> PreviewFunction:
        _preview_functions[kind] = function
        return function

    return register


def preview_action(
    kind: str, facts: Mapping[str, Any], actor: User
) -> list[PreviewLine]:
    """Return the preview of an action, empty if none is registered.

    Raise the Refusal that the action would raise.
    """
    function = _preview_functions.get(kind)
    return list(function(facts, actor)) if function else []


def preview_or_refusal(
    kind: str, facts: Mapping[str, Any], actor: User
) -> list[PreviewLine]:
    """Return the preview of an action, or why it cannot be done now."""
    try:
        return preview_action(kind, facts, actor)
    except Refusal as refusal:
        return [impossible_line(refusal)]


def impossible_line(refusal: Exception | str) -> PreviewLine:
    """Return the line that says why an action would fail."""
    return PreviewLine(IMPOSSIBLE, str(refusal), "error")


def pending_rerate_line(day: date, begins: date | None) -> PreviewLine:
    """Return the line for a new pending rerate from *day*.

    *begins* is the day of the earliest pending rerate, if any.
    """
    return PreviewLine(
        "mark",
        _(
            "This adds a pending rerate from {day}. The next rerate replays "
            "history from {begins}."
        ).format(day=format_day(day), begins=format_day(min(day, begins or day))),
    )


def second_approval_line(permission: str, actor: User) -> PreviewLine:
    """Return the line that names who can give the second approval."""
    names = permission_holders(permission, beside=[actor])
    if not names:
        return PreviewLine(
            "second_person",
            _(
                "This needs a second approval, but no one else has permission to "
                "give it."
            ),
            "warning",
        )
    return PreviewLine(
        "second_person",
        _("This needs a second approval. Can be approved by: {names}.").format(
            names=", ".join(names)
        ),
        "note",
    )


def no_rating_change_lines() -> Sequence[PreviewLine]:
    """Return the last lines of an action that moves no rating and needs one person."""
    return (
        PreviewLine("nothing_moves", _("No rating changes.")),
        no_approval_line(),
    )


def no_approval_line() -> PreviewLine:
    return PreviewLine("alone", _("No second approval is needed."))
