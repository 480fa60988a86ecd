"""Several rows of a list at once: what an act does to each, and what became of each."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from time import monotonic
from typing import TypeVar

from django.core.exceptions import ObjectDoesNotExist
from django.db import transaction
from django.utils.translation import gettext as _

from ratings_site.common.acts.effects import Effect
from ratings_site.common.acts.kinds import Refusal
from ratings_site.common.database.locks import RatingsBusy

# Nobody reads a longer list before pressing the button.
MOST_AT_ONCE = 100
# Seconds. The server gives up on a request after sixty.
LONGEST = 30

Row = TypeVar("Row")
Result = TypeVar("Result")


class NoTime(Refusal):
    """The others took all the time there was; this one waits as before."""


@dataclass(frozen=True, slots=True)
class ChosenRow:
    """A row that was chosen, and what the act does to it.

    *key* is what stands for it when the list is sent again, *about* what tells it from
    a namesake.
    """

    key: str
    name: str
    effects: tuple[Effect, ...]
    about: str = ""
    url: str = ""

    @property
    def needs_a_look(self) -> bool:
        return needs_a_look(self.effects)


@dataclass(frozen=True, slots=True)
class RefusedRow:
    """A row to which the act is not done with the others, and why."""

    name: str
    sentence: str
    url: str = ""


@dataclass(frozen=True, slots=True)
class DoneRow:
    """A row to which the act was done. *note* is what came of it."""

    name: str
    note: str = ""
    url: str = ""


@dataclass(slots=True)
class WhatBecame:
    """What became of several rows."""

    done: list[DoneRow] = field(default_factory=list)
    left_out: list[RefusedRow] = field(default_factory=list)


def needs_a_look(effects: Iterable[Effect]) -> bool:
    """Tell whether one of the sentences has a mark."""
    return any(effect.level for effect in effects)


def each_by_itself(
    rows: Iterable[Row], do: Callable[[Row], Result], *, longest: float = LONGEST
) -> Iterator[tuple[Row, Result | Refusal]]:
    """Do an act to each row in a transaction of its own; yield what came of each.

    A row that is refused stops no other. What is not reached within *longest* seconds
    is refused unseen.
    """
    until = monotonic() + longest
    for row in rows:
        if monotonic() > until:
            yield row, NoTime(_("There was no time left for it. It waits as before."))
        else:
            yield row, _done_or_refused(row, do)


def _done_or_refused(row: Row, do: Callable[[Row], Result]) -> Result | Refusal:
    try:
        with transaction.atomic():
            return do(row)
    except Refusal as refusal:
        return refusal
    except RatingsBusy as busy:
        return Refusal(str(busy))
    except ObjectDoesNotExist:
        return Refusal(_("It is no longer there."))


def outcome_of(
    lines: Sequence[ChosenRow],
    do: Callable[[ChosenRow], DoneRow],
    *,
    longest: float = LONGEST,
) -> WhatBecame:
    """Do an act to each of the lines by itself, and sort them by what came of it."""
    outcome = WhatBecame()
    for line, one in each_by_itself(lines, do, longest=longest):
        if isinstance(one, Refusal):
            outcome.left_out.append(RefusedRow(line.name, str(one), line.url))
        else:
            outcome.done.append(one)
    return outcome
