from players.models.claim import Claim, Invitation
from players.models.contact import Contact
from players.models.external_rating import ExternalRating
from players.models.fide import FideLinkRefusal, FideList, FidePlayer, FideRating
from players.models.forget import ForgetRequest
from players.models.guardian import Guardian, GuardianAccount
from players.models.intake import Intake, IntakeRow
from players.models.membership import Membership, MembershipType
from players.models.merge import NotSamePerson, PlayerMerge
from players.models.opt_in import FideOptIn
from players.models.player import Player

__all__ = [
    "Claim",
    "Contact",
    "ExternalRating",
    "FideLinkRefusal",
    "FideList",
    "FideOptIn",
    "FidePlayer",
    "FideRating",
    "ForgetRequest",
    "Guardian",
    "GuardianAccount",
    "Intake",
    "IntakeRow",
    "Invitation",
    "Membership",
    "MembershipType",
    "NotSamePerson",
    "Player",
    "PlayerMerge",
]
