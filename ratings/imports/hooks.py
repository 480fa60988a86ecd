"""Register ratings and past events as kinds of imports."""

from players.imports.kinds import IntakeKind, register_kind
from players.imports.messages import register_messages
from players.models import Intake
from ratings.imports import messages
from ratings.imports.files import ALL_SPELLINGS, SPELLINGS
from ratings.imports.services import history, ratings

register_kind(
    IntakeKind(
        name=Intake.Kind.RATINGS,
        read=ratings.read,
        apply=ratings.apply,
        undo=None,
        spellings=ALL_SPELLINGS,
        needed=("member_id",),
        columns=list(SPELLINGS),
        example=[
            "12345678", "OTBR", "1654.31", "31", "2025-12-14", "mixed", "12", "5",
            "14", "2", "1702.5", "", "", "", "",
        ],
    )
)  # fmt: skip
register_kind(
    IntakeKind(
        name=Intake.Kind.HISTORY,
        read=history.read,
        apply=history.apply,
        undo=history.undo,
    )
)
register_messages(messages.MESSAGES, messages.COLUMNS, messages.VALUE_FORMATS)
