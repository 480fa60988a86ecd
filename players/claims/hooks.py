"""Link requests on the dashboard, and invitation lists as a kind of import."""

from django.utils.translation import ngettext_lazy

from players.claims import messages
from players.claims.queries import waiting_claims
from players.claims.services import invitation_lists
from players.claims.services.claims import PERMISSION
from players.imports.kinds import IntakeKind, register_kind
from players.imports.messages import register_messages
from players.models import Intake
from ratings_site.common.dashboard.queries import register_count

register_kind(
    IntakeKind(
        name=Intake.Kind.INVITATIONS,
        read=invitation_lists.read,
        apply=invitation_lists.apply,
        undo=None,
        permission=PERMISSION,
        spellings=invitation_lists.COLUMNS,
        needed=invitation_lists.NEEDED,
        columns=list(invitation_lists.COLUMNS),
        example=["12345678", "ann@example.org", invitation_lists.MEMBER],
    )
)
register_messages(messages.MESSAGES, messages.COLUMNS)


register_count(
    waiting_claims,
    order=90,
    what=ngettext_lazy("link request", "link requests"),
    page="players_office:claims",
    at="#waiting",
    since="asked_at",
)
