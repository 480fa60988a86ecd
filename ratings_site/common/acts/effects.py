"""What will happen: what an act does, said in sentences before anybody confirms it."""

from dataclasses import dataclass
from datetime import date

from django.utils.translation import gettext as _

from ratings_site.common.accounts.queries import who_may
from ratings_site.common.looks.figures import day_in_words
from ratings_site.common.models import User


@dataclass(frozen=True, slots=True)
class Effect:
    """One sentence of what will happen. *level* is that of an icon, if it needs one."""

    code: str
    sentence: str
    level: str = ""


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
