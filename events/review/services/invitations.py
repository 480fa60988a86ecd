"""Bulk invitation of directors."""

from django.utils import timezone
from django.utils.translation import gettext as _

from events.models import Official
from players.claims.services.claims import PERMISSION
from players.claims.services.invitation_lists import receive_list
from players.formats.table_reader import to_csv
from players.imports.kinds import ImportRefused
from players.models import Intake
from ratings_site.common.accounts.permissions import require_permission
from ratings_site.common.models import User


def create_director_list(*, actor: User) -> Intake:
    """Create the list of certified directors without an account."""
    require_permission(actor, PERMISSION)
    certified = Official.objects.filter(certified_until__gte=timezone.localdate())
    officials = certified.select_related("player__merged_into")
    people = {one.player.canonical for one in officials}
    rows = sorted([one.member_id] for one in people if one.account_id is None)
    if not rows:
        raise ImportRefused(_("All certified directors already have an account."))
    content = to_csv([["Member ID"], *rows]).encode()
    return receive_list(actor=actor, name="directors.csv", content=[content])
