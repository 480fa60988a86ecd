from players.models.external_rating import ExternalRating
from players.models.fide import FideLinkRefusal, FideList, FidePlayer, FideRating
from players.models.guardian import Guardian
from players.models.membership import Membership, MembershipType
from players.models.merge import NotSamePerson, PlayerMerge
from players.models.opt_in import FideOptIn
from players.models.player import Player

__all__ = [
    "ExternalRating",
    "FideLinkRefusal",
    "FideList",
    "FideOptIn",
    "FidePlayer",
    "FideRating",
    "Guardian",
    "Membership",
    "MembershipType",
    "NotSamePerson",
    "Player",
    "PlayerMerge",
]
