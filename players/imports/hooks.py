"""The import kinds of this app, and the preview of imports above the limits."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _

from players.formats.members import NEEDED, SPELLINGS
from players.imports.kinds import IntakeKind, register_kind
from players.imports.services import apply, dry_run, undo
from players.imports.services.limits import OVER_LIMITS, exceeded_limits
from players.models import Intake
from ratings_site.common.approvals.preview import PreviewLine, register_preview
from ratings_site.common.models import User

NOT_IN_TEMPLATE = ("name", "birth_year", "middle_name")
TEMPLATE_COLUMNS = [name for name in SPELLINGS if name not in NOT_IN_TEMPLATE]
# The template's row, blank in all other columns.
EXAMPLE = {
    "member_id": "12345678",
    "given_name": "Ada",
    "family_name": "Adams",
    "birth_date": "2011-02-13",
    "gender": "F",
    "state": "TX",
    "residence": "USA",
    "federation": "USA",
    "status": "active",
    "membership": "Youth",
    "starts": "2026-01-01",
    "expires": "2026-12-31",
    "guardian_email": "parent@example.org",
}

register_kind(
    IntakeKind(
        name=Intake.Kind.MEMBERS,
        read=dry_run.read,
        apply=apply.apply,
        undo=undo.undo,
        spellings=SPELLINGS,
        needed=NEEDED,
        columns=TEMPLATE_COLUMNS,
        example=[EXAMPLE.get(name, "") for name in TEMPLATE_COLUMNS],
    )
)


@register_preview(OVER_LIMITS)
def preview_import(facts: Mapping[str, Any], actor: User) -> list[PreviewLine]:
    """Preview an import above the limits."""
    message = _("{new:,} new and {changed:,} changed records are imported.")
    return [
        PreviewLine(
            "entered", message.format(new=facts["new"], changed=facts["changed"])
        ),
        *(
            PreviewLine("limit", sentence, "warning")
            for sentence in exceeded_limits(Intake.objects.get(pk=facts["intake_id"]))
        ),
    ]
