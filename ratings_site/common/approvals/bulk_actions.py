"""Bulk actions on rows of a list, and their results."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from time import monotonic
from typing import Any, TypeVar

from django.core.exceptions import ObjectDoesNotExist
from django.db import transaction
from django.http import QueryDict
from django.utils.translation import gettext as _

from ratings_site.common.approvals.kinds import Refusal
from ratings_site.common.approvals.preview import PreviewLine
from ratings_site.common.db.locks import RatingsBusy
from ratings_site.common.models import User

# People do not read longer lists before they confirm.
MAX_ROWS = 100
# Ten merges, claims or FIDE links take 0.2 seconds; 100 merges take 1.6.
MAX_AT_ONCE = 10
# The server's timeout is 60 seconds.
MAX_SECONDS = 30

Row = TypeVar("Row")
Result = TypeVar("Result")


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


PreviewedRows = tuple[Sequence[ChosenRow], Sequence[RefusedRow]]


@dataclass(frozen=True, slots=True)
class BulkAction:
    """An action on several rows of a list.

    *asks*, *button* and *done* are formatted with the number of rows. *look* returns
    the rows of these keys with previews, and the rows left out, such as those that have
    changed since. *do* applies the action to one row. More rows than *most_at_once* are
    a background job, because a request has to end within two seconds.
    """

    asks: Any
    button: Any
    done: Any
    look: Callable[[Sequence[str], User], PreviewedRows]
    do: Callable[[ChosenRow, User, str], DoneRow]
    after: Callable[[], Sequence[PreviewLine]] = tuple
    every: Callable[[QueryDict], Sequence[str]] | None = None
    kind: str = "primary"
    most_at_once: int = MAX_AT_ONCE


# The actions of each list, by the URL name of its page, with the permission.
BULK_ACTIONS: dict[str, tuple[str, Mapping[str, BulkAction]]] = {}


def register_bulk_actions(
    view: str, permission: str, acts: Mapping[str, BulkAction]
) -> None:
    """Register the actions of a list, whose modules the app's ``ready`` imports."""
    BULK_ACTIONS[view] = permission, acts


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
                Refusal(_("Not enough time to process it. It is still on the list.")),
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
