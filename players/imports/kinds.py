"""The kinds of import files, with the functions that read, apply and undo each."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from players.formats.errors import InputRefused
from players.models import Intake
from ratings_site.common.accounts.permissions import require_permission
from ratings_site.common.approvals.kinds import Refusal
from ratings_site.common.jobs.nightly import register_nightly
from ratings_site.common.models import User

PERMISSION = "players.take_in"
READ_INTAKE = "players.read_intake"
ENTER_INTAKE = "players.enter_intake"
UNDO_INTAKE = "players.undo_intake"
EMPTY_INTAKES = register_nightly("players.empty_intakes")

# Heartbeat with (steps done, total steps, current step). Raises if another worker has
# the job.
ProgressCallback = Callable[[int, int, str], None]


class ImportRefused(Refusal):
    """A file or an action on it is refused; the message is a sentence."""


class ApplyRefused(InputRefused):
    """The import cannot be applied or undone now, and nothing changes."""


@dataclass(frozen=True, slots=True)
class IntakeKind:
    """What the office can do with one kind of file.

    *read* is the dry run. *apply* and *undo* run inside one transaction; *apply*
    returns facts for the audit. Where *undo* is None, the import cannot be undone.
    *columns* and *example* make the template. *spellings* are the names of columns; a
    file needs to have the *needed* ones. Kinds that are not tables have none of these.
    Sending or viewing such a file requires *permission* in addition to the one for all
    files.
    """

    name: str
    read: Callable[[Intake, ProgressCallback], None]
    apply: Callable[[Intake, User | None], dict[str, Any]]
    undo: Callable[[Intake, User | None], None] | None
    spellings: Mapping[str, str] = field(default_factory=dict)
    needed: Sequence[str] = ()
    columns: Sequence[str] = ()
    example: Sequence[str] = ()
    permission: str = ""


_kinds: dict[str, IntakeKind] = {}


def register_kind(kind: IntakeKind) -> None:
    _kinds[kind.name] = kind


def kind_of(intake: Intake) -> IntakeKind:
    return _kinds[intake.kind]


def require_for(actor: User | None, kind: str) -> None:
    """Raise NotAllowed unless the account may send and see files of this kind."""
    if _kinds[kind].permission:
        require_permission(actor, _kinds[kind].permission)


def kinds() -> list[IntakeKind]:
    """Return the kinds in the order in which a federation imports them."""
    return [_kinds[name] for name in Intake.Kind.values if name in _kinds]
