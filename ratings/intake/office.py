"""Ratings and history as kinds of files that the office takes in."""

from players.intake.kinds import IntakeKind, register
from players.intake.saying import add_words
from players.models import Intake
from ratings.intake import saying
from ratings.intake.files import NEEDED, SPELLINGS
from ratings.intake.services import history, ratings

register(
    IntakeKind(
        name=Intake.Kind.RATINGS,
        read=ratings.read,
        enter=ratings.enter,
        undo=None,
        spellings=SPELLINGS,
        needed=NEEDED,
        columns=list(SPELLINGS),
        example=[
            "12345678", "OTBR", "1654.31", "31", "2025-12-14", "mixed", "12", "5",
            "14", "2", "1702.5", "", "", "", "",
        ],
    )
)  # fmt: skip
register(
    IntakeKind(
        name=Intake.Kind.HISTORY,
        read=history.read,
        enter=history.enter,
        undo=history.undo,
    )
)
add_words(saying.SENTENCES, saying.COLUMNS, saying.VALUES)
