"""Registration of affiliate and director files with the imports."""

from events.imports import messages
from events.imports.services import AffiliateImporter, DirectorImporter
from players.imports.kinds import IntakeKind, register_kind
from players.imports.messages import register_messages
from players.models import Intake

_AFFILIATE = ["A6012345", "Castle Chess Club", "GA", "2026-12-31"]
_DIRECTOR = ["12345678", "local", "2028-12-31", "A6012345", "2027-03-01"]

for kind, importer, example in (
    (Intake.Kind.AFFILIATES, AffiliateImporter(), _AFFILIATE),
    (Intake.Kind.DIRECTORS, DirectorImporter(), _DIRECTOR),
):
    register_kind(
        IntakeKind(
            name=kind,
            read=importer.read,
            apply=importer.apply,
            undo=importer.undo,
            spellings=importer.spellings,
            needed=(next(iter(importer.spellings)),),
            columns=list(importer.spellings),
            example=example,
        )
    )
register_messages(messages.MESSAGES, messages.COLUMNS)
