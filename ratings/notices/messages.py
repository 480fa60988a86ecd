"""The texts of notices about ratings, with published numbers."""

from collections.abc import Sequence
from typing import NamedTuple

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from ratings.engine.classes import RatingClass
from ratings.engine.systems import System
from ratings.ledger.queries.published_ratings import published_change
from ratings.models import RerateMark
from ratings_site.common.ui.formatting import MINUS, format_rating, half_points

MAX_CAUSES = 3
Words = tuple[str, str]


class Step(NamedTuple):
    """A rating change by an event; None is unrated, or an unknown expected score."""

    system: System
    before: float | None
    after: float
    half_points: int
    games: int
    expected: float | None


class Move(NamedTuple):
    """A rating change by a rerate; None is unrated."""

    system: System
    before: float | None
    after: float | None


class ListRating(NamedTuple):
    """A rating on an official list, and on the one before."""

    system: System
    rating: float
    before: float | None


def rating_in_words(rating: float | None) -> str:
    return _("unrated") if rating is None else format_rating(rating)


def system_in_words(system: System) -> str:
    """Return the system as it is within a sentence: "online blitz"."""
    return _(system.label).lower()


# An event that was rated

# Rating changes: of the Regular rating, which is not named, and of any other.
TITLES = {
    "first": (
        gettext_lazy("Your first rating is {after}, from {event}"),
        gettext_lazy("Your first {system} rating is {after}, from {event}"),
    ),
    "stays": (
        gettext_lazy("Your rating stays at {after} after {event}"),
        gettext_lazy("Your {system} rating stays at {after} after {event}"),
    ),
    "rose": (
        gettext_lazy("Your rating rose from {before} to {after} in {event}"),
        gettext_lazy("Your {system} rating rose from {before} to {after} in {event}"),
    ),
    "fell": (
        gettext_lazy("Your rating fell from {before} to {after} in {event}"),
        gettext_lazy("Your {system} rating fell from {before} to {after} in {event}"),
    ),
}


def rated(event: str, steps: Sequence[Step]) -> Words:
    return _rated_title(event, steps), "\n".join(_step(step) for step in steps)


def _rated_title(event: str, steps: Sequence[Step]) -> str:
    if len(steps) > 1:
        now = ", ".join(
            f"{_(one.system.label)} {format_rating(one.after)}" for one in steps
        )
        return _("Your ratings after {event}: {ratings}").format(
            event=event, ratings=now
        )
    [step] = steps
    regular, other = TITLES[_outcome(step)]
    return (regular if step.system is System.OTBR else other).format(
        system=system_in_words(step.system),
        event=event,
        before=rating_in_words(step.before),
        after=format_rating(step.after),
    )


def followed(name: str, event: str, steps: Sequence[Step]) -> Words:
    """Return the notice about a player to an account that follows the player."""
    now = ", ".join(
        f"{_(one.system.label)} {format_rating(one.after)}" for one in steps
    )
    title = _("{name} after {event}: {ratings}")
    moves = [_move(Move(one.system, one.before, one.after)) for one in steps]
    return title.format(name=name, event=event, ratings=now), "\n".join(moves)


def _outcome(step: Step) -> str:
    if step.before is None:
        return "first"
    if step.before == step.after:
        return "stays"
    return "rose" if step.before < step.after else "fell"


def _step(step: Step) -> str:
    change = published_change(step.before, step.after)
    values = {
        "system": _(step.system.label),
        "before": rating_in_words(step.before),
        "after": format_rating(step.after),
        "score": half_points(step.half_points),
        "games": step.games,
    }
    if change is None or step.expected is None:
        return _(
            "{system}: you scored {score} of {games}. New rating: {after}."
        ).format(**values)
    return _(
        "{system}: you scored {score} of {games}. Expected: {expected}. Rating: "
        "{before} {change} = {after}."
    ).format(**values, change=signed(change), expected=f"{step.expected:.1f}")


def signed(change: int) -> str:
    """Return a change with a sign and a space.

    >>> signed(23), signed(-7)
    ('+ 23', '− 7')
    """
    return f"{MINUS if change < 0 else '+'} {abs(change)}"


# A class or floor that was reached


def class_reached(system: System, reached: RatingClass, event: str) -> Words:
    values = {
        "class": reached.name,
        "system": system_in_words(system),
        "level": reached.lowest,
        "event": event,
    }
    return (
        _("You reached {class}").format(**values),
        _("Your {system} rating passed {level} for the first time in {event}.").format(
            **values
        ),
    )


def floor_reached(system: System, floor: int, event: str) -> Words:
    values = {"floor": floor, "system": system_in_words(system), "event": event}
    return (
        _("Your {system} rating has a new floor: {floor}").format(**values),
        _(
            "Your rating can’t fall below {floor}. You earned this floor in {event}."
        ).format(**values),
    )


# A rerate


def rerated(moves: Sequence[Move], causes: Sequence[RerateMark]) -> Words:
    shown = [
        _("Why: {cause}").format(cause=cause.translated_note)
        for cause in causes[:MAX_CAUSES]
    ]
    if len(causes) > MAX_CAUSES:
        more = len(causes) - MAX_CAUSES
        shown.append(_("Plus {number} more reasons.").format(number=more))
    if len(moves) == 1:
        return _rerated_title(moves[0]), "\n".join(shown)
    return (
        _("A rerate changed your ratings"),
        "\n".join([*map(_move, moves), "", *shown]),
    )


def _rerated_title(move: Move) -> str:
    return _("A rerate changed your {system} rating from {before} to {after}").format(
        system=system_in_words(move.system),
        before=rating_in_words(move.before),
        after=rating_in_words(move.after),
    )


def _move(move: Move) -> str:
    return _("{system}: from {before} to {after}.").format(
        system=_(move.system.label),
        before=rating_in_words(move.before),
        after=rating_in_words(move.after),
    )


def rerate_undone(moves: Sequence[Move]) -> Words:
    """Return the notice of an undone rerate; *moves* are its changes."""
    back = [Move(one.system, one.after, one.before) for one in moves]
    return (
        _("A rerate was undone and your ratings changed back"),
        "\n".join(map(_move, back)),
    )


# An official list


def listed(month: str, ratings: Sequence[ListRating]) -> Words:
    now = ", ".join(
        f"{_(one.system.label)} {format_rating(one.rating)}" for one in ratings
    )
    title = _("Official rating list, {month}: {ratings}").format(
        month=month, ratings=now
    )
    return title, "\n".join(_listed(one) for one in ratings)


def _listed(one: ListRating) -> str:
    values = {
        "system": _(one.system.label),
        "now": format_rating(one.rating),
        "before": rating_in_words(one.before),
    }
    if one.before is None:
        return _("{system}: {now}. Your first official rating.").format(**values)
    if one.before == one.rating:
        return _("{system}: {now}. Same as on the previous list.").format(**values)
    return _("{system}: {now}. Previous list: {before}.").format(**values)
