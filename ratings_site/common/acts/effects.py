"""What will happen: what an act does, said in sentences before anybody confirms it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from django.utils.translation import gettext as _

from ratings_site.common.accounts.queries import who_may
from ratings_site.common.acts.kinds import Refusal
from ratings_site.common.looks.figures import day_in_words
from ratings_site.common.models import User


@dataclass(frozen=True, slots=True)
class Effect:
    """One sentence of what will happen. *level* is that of an icon, if it needs one."""

    code: str
    sentence: str
    level: str = ""


# What an act of a kind does, asked with the facts of the act and who looks at it. The
# facts are those of the proposal, where it needs a second person.
Foreseeing = Callable[[Mapping[str, Any], User], Sequence[Effect]]
_foreseeing: dict[str, Foreseeing] = {}


def says_what_happens(kind: str) -> Callable[[Foreseeing], Foreseeing]:
    """Register the function that says beforehand what an act of *kind* does."""

    def register(foresee: Foreseeing) -> Foreseeing:
        _foreseeing[kind] = foresee
        return foresee

    return register


def what_happens(kind: str, facts: Mapping[str, Any], actor: User) -> list[Effect]:
    """Say what an act would do now; nothing for a kind of which nobody says it.

    What the act refuses is raised.
    """
    foresee = _foreseeing.get(kind)
    return list(foresee(facts, actor)) if foresee else []


def what_happens_if_at_all(
    kind: str, facts: Mapping[str, Any], actor: User
) -> list[Effect]:
    """Say the same, or why the act cannot be done now."""
    try:
        return what_happens(kind, facts, actor)
    except Refusal as refusal:
        return [Effect("impossible", str(refusal), "error")]


def leaves_mark(day: date, begins: date | None) -> Effect:
    """Say that an act leaves a mark on *day*; other marks have a rerate begin earlier.

    *begins* is the day of the earliest open mark, if there is one.
    """
    return Effect(
        "mark",
        _(
            "It leaves a mark on {day}; the next rerate replays history from {begins} "
            "on."
        ).format(day=day_in_words(day), begins=day_in_words(min(day, begins or day))),
    )


def of_second_person(permission: str, actor: User) -> Effect:
    """Say that another person has to approve it, and who that may be."""
    names = who_may(permission, beside=[actor])
    if not names:
        return Effect(
            "second_person",
            _(
                "A second person has to approve it. Nobody else has the permission "
                "for that now."
            ),
            "warning",
        )
    return Effect(
        "second_person",
        _("A second person has to approve it, such as: {names}.").format(
            names=", ".join(names)
        ),
        "note",
    )


def of_nobody_else() -> Effect:
    return Effect("alone", _("Nobody else has to agree."))
