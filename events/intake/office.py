"""Affiliates and directors as kinds of files that the office takes in."""

from events.intake import saying
from events.intake.files import AFFILIATES, DIRECTORS
from events.intake.services import Affiliates, Directors
from players.intake.kinds import IntakeKind, register
from players.intake.saying import add_words
from players.models import Intake

_affiliates, _directors = Affiliates(), Directors()

register(
    IntakeKind(
        name=Intake.Kind.AFFILIATES,
        read=_affiliates.read,
        enter=_affiliates.enter,
        undo=_affiliates.undo,
        spellings=AFFILIATES,
        needed=(next(iter(AFFILIATES)),),
        columns=list(AFFILIATES),
        example=["A6012345", "Castle Chess Club", "GA", "2026-12-31"],
    )
)
register(
    IntakeKind(
        name=Intake.Kind.DIRECTORS,
        read=_directors.read,
        enter=_directors.enter,
        undo=_directors.undo,
        spellings=DIRECTORS,
        needed=(next(iter(DIRECTORS)),),
        columns=list(DIRECTORS),
        example=["12345678", "local", "2028-12-31", "A6012345"],
    )
)
add_words(saying.SENTENCES, saying.COLUMNS)
