"""Whom the office invites at once."""

from django.utils import timezone
from django.utils.translation import gettext as _

from events.models import Official
from players.claims.services.claiming import PERMISSION
from players.claims.services.lists import receive_list
from players.importers.tables import file_of
from players.intake.kinds import NotTaken
from players.models import Intake
from ratings_site.common.accounts.permissions import require
from ratings_site.common.models import User


def list_directors(*, actor: User) -> Intake:
    """List the certified directors without an account, as if somebody had typed it."""
    require(actor, PERMISSION)
    certified = Official.objects.filter(certified_until__gte=timezone.localdate())
    directors = certified.filter(player__account=None, player__merged_into=None)
    rows = [[one] for one in directors.values_list("player__member_id", flat=True)]
    if not rows:
        raise NotTaken(_("All certified directors have an account."))
    content = file_of([["Member ID"], *rows]).encode()
    return receive_list(actor=actor, name="directors.csv", content=[content])
