"""Bulk actions on rows of a list, and their results."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from time import monotonic
from typing import TypeVar

from django.core.exceptions import ObjectDoesNotExist
from django.db import transaction
from django.utils.translation import gettext as _

from ratings_site.common.approvals.kinds import Refusal
from ratings_site.common.approvals.preview import PreviewLine
from ratings_site.common.db.locks import RatingsBusy

# People do not read longer lists before they confirm.
MAX_ROWS = 100
# The server's timeout is 60 seconds.
MAX_SECONDS = 30

Row = TypeVar("Row")
Result = TypeVar("Result")


class OutOfTime(Refusal):
    """The row was not reached in time and is unchanged."""


@dataclass(frozen=True, slots=True)
class ChosenRow:
    """A selected row and the preview of the action.

    *key* identifies it in the confirmation form, *about* distinguishes it from a row of
    the same name.
    """

    key: str
    name: str
    effects: tuple[PreviewLine, ...]
    about: str = ""
    url: str = ""

    @property
    def needs_review(self) -> bool:
        return needs_review(self.effects)


@dataclass(frozen=True, slots=True)
class RefusedRow:
    """A row that the action leaves out, and why."""

    name: str
    sentence: str
    url: str = ""


@dataclass(frozen=True, slots=True)
class DoneRow:
    """A row to which the action was applied; *note* is the result."""

    name: str
    note: str = ""
    url: str = ""


@dataclass(slots=True)
class BulkResult:
    """The results of a bulk action."""

    done: list[DoneRow] = field(default_factory=list)
    left_out: list[RefusedRow] = field(default_factory=list)


def needs_review(effects: Iterable[PreviewLine]) -> bool:
    """Return whether a line has a level, such as a warning."""
    return any(effect.level for effect in effects)


def apply_each(
    rows: Iterable[Row], do: Callable[[Row], Result], *, longest: float = MAX_SECONDS
) -> Iterator[tuple[Row, Result | Refusal]]:
    """Apply an action to each row in its own transaction; yield the results.

    A refused row does not stop the others. Rows that are not reached within *longest*
    seconds are refused.
    """
    until = monotonic() + longest
    for row in rows:
        if monotonic() > until:
            yield (
                row,
                OutOfTime(_("Not enough time to process it. It is still on the list.")),
            )
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
        return Refusal(_("This item no longer exists."))


def apply_to_rows(
    lines: Sequence[ChosenRow],
    do: Callable[[ChosenRow], DoneRow],
    *,
    longest: float = MAX_SECONDS,
) -> BulkResult:
    """Apply an action to each row and collect the results."""
    outcome = BulkResult()
    for line, one in apply_each(lines, do, longest=longest):
        if isinstance(one, Refusal):
            outcome.left_out.append(RefusedRow(line.name, str(one), line.url))
        else:
            outcome.done.append(one)
    return outcome
