"""Who may see the figures from which a birth date could be computed."""

from django.conf import settings
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _
from events.access import is_office
from players.models import Player
from ratings.engine.floors import lowered_floor
from ratings.engine.rules import Rules, rules_in_force
from ratings.engine.systems import System
from ratings.floors.queries.floors import floor_now, numbers_of
from ratings.floors.services.floors import (
    LOWER,
    FloorRefused,
    mark_if_rated_since,
    member,
    rated_since,
    save_checked,
)
from ratings.models import FloorLowering, FloorRequest, RatingChange, RerateMark
from ratings.rerates.services.what_if import Differences, Hypothesis, simulate
from ratings_site.common.accounts.permissions import NotAllowed, require
from ratings_site.common.audit.services import record
from ratings_site.common.database.locks import hold_ratings
from ratings_site.common.looks.figures import day as in_words
from ratings_site.common.models import User

from django.contrib.auth.models import AnonymousUser

from events.access import is_office
from ratings_site.common.models import User


class StartReader:
    """Tells for one person whose initial ratings that person may see.

    The office sees all of them, a member their own, everybody else none. Knows players
    by primary key, and asks the database once.
    """

    def __init__(self, user: User | AnonymousUser) -> None:
        self.is_office = user.is_authenticated and is_office(user)
        player = getattr(user, "player", None) if user.is_authenticated else None
        self.own_pk = player.pk if player else None

    def may_see(self, player_pk: object) -> bool:
        return self.is_office or (self.own_pk is not None and player_pk == self.own_pk)




def may_ask(user: User, player: Player) -> bool:
    return is_office(user) or player.account_id == user.pk
