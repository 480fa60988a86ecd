"""Ratings as a kind of file that the office takes in."""

from players.intake.kinds import IntakeKind, register
from players.intake.saying import add_words
from players.models import Intake
from ratings.intake import saying, services
from ratings.intake.files import SPELLINGS

register(
    IntakeKind(
        name=Intake.Kind.RATINGS,
        read=services.read,
        enter=services.enter,
        undo=None,
        columns=list(SPELLINGS),
        example=[
            "12345678", "OTBR", "1654.31", "31", "2025-12-14", "mixed", "12", "5",
            "14", "2", "1702.5", "", "", "", "",
        ],
    )
)  # fmt: skip
add_words(saying.SENTENCES, saying.COLUMNS)
