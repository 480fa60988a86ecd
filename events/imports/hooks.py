"""Registration of affiliate and director files with the imports."""

from events.imports import messages
from events.imports.files import AFFILIATES, DIRECTORS
from events.imports.services import AffiliateImporter, DirectorImporter
from players.imports.kinds import IntakeKind, register_kind
from players.imports.messages import register_messages
from players.models import Intake

_affiliates, _directors = AffiliateImporter(), DirectorImporter()

register_kind(
    IntakeKind(
        name=Intake.Kind.AFFILIATES,
        read=_affiliates.read,
        apply=_affiliates.apply,
        undo=_affiliates.undo,
        spellings=AFFILIATES,
        needed=(next(iter(AFFILIATES)),),
        columns=list(AFFILIATES),
        example=["A6012345", "Castle Chess Club", "GA", "2026-12-31"],
    )
)
register_kind(
    IntakeKind(
        name=Intake.Kind.DIRECTORS,
        read=_directors.read,
        apply=_directors.apply,
        undo=_directors.undo,
        spellings=DIRECTORS,
        needed=(next(iter(DIRECTORS)),),
        columns=list(DIRECTORS),
        example=["12345678", "local", "2028-12-31", "A6012345", "2027-03-01"],
    )
)
register_messages(messages.MESSAGES, messages.COLUMNS)
