"""The files that this app knows how to take in."""

from players.importers.members import NEEDED, SPELLINGS
from players.intake.kinds import IntakeKind, register
from players.intake.services import entering, members, undoing
from players.models import Intake

register(
    IntakeKind(
        name=Intake.Kind.MEMBERS,
        read=members.read,
        enter=entering.enter,
        undo=undoing.undo,
        spellings=SPELLINGS,
        needed=NEEDED,
        columns=[
            name for name in SPELLINGS if name not in ("name", "birth_year")
        ],
        example=[
            "12345678", "Ada", "Adams", "", "2011-02-13", "F", "TX", "USA", "USA", "",
            "active", "Youth", "2026-01-01", "2026-12-31", "", "parent@example.org", "",
        ],
    )
)  # fmt: skip
