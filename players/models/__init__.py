from players.models.external_rating import ExternalRating
from players.models.membership import Membership, MembershipType
from players.models.player import Player

__all__ = ["ExternalRating", "Membership", "MembershipType", "Player"]
