"""The kinds of files that move in, and who reads, enters and undoes each."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from players.importers.tables import Refused
from players.models import Intake
from ratings_site.common.accounts.permissions import require
from ratings_site.common.acts.kinds import Refusal
from ratings_site.common.models import User

PERMISSION = "players.take_in"

# A sign of life: (steps done, of how many, what is being done). Raises if the job was
# taken over.
Beat = Callable[[int, int, str], None]


class NotTaken(Refusal):
    """A file cannot be received or an act on it done; the message is a sentence."""


class NotEntered(Refused):
    """What was read cannot be entered or undone now, and nothing changes."""


@dataclass(frozen=True, slots=True)
class IntakeKind:
    """What the office can do with one kind of file.

    *read* is the dry run. *enter* and *undo* run inside one transaction; *enter*
    returns facts for the audit. Where *undo* is None, what is entered stays. *columns*
    and *example* make the template. *spellings* are the names that columns go under,
    of which a file has to have the *needed* ones. What is no table has none of these.
    Who sends or sees such a file needs the *permission* besides that for all files.
    """

    name: str
    read: Callable[[Intake, Beat], None]
    enter: Callable[[Intake, User | None], dict[str, Any]]
    undo: Callable[[Intake, User | None], None] | None
    spellings: Mapping[str, str] = field(default_factory=dict)
    needed: Sequence[str] = ()
    columns: Sequence[str] = ()
    example: Sequence[str] = ()
    permission: str = ""


_kinds: dict[str, IntakeKind] = {}


def register(kind: IntakeKind) -> None:
    _kinds[kind.name] = kind


def kind_of(intake: Intake) -> IntakeKind:
    return _kinds[intake.kind]


def require_for(actor: User | None, kind: str) -> None:
    """Refuse an account that may not send and see files of this kind."""
    if _kinds[kind].permission:
        require(actor, _kinds[kind].permission)


def kinds() -> list[IntakeKind]:
    """Return the kinds in the order in which a federation moves in."""
    return [_kinds[name] for name in Intake.Kind.values if name in _kinds]
