from players.models.claim import Claim, Invitation
from players.models.contact import Contact
from players.models.external_rating import ExternalRating
from players.models.fide import FideLinkRefusal, FideList, FidePlayer, FideRating
from players.models.forget import ForgetRequest
from players.models.guardian import Guardian, GuardianAccount
from players.models.intake import ImportWord, Intake, IntakeRow
from players.models.membership import Membership, MembershipType
from players.models.merge import NotSamePerson, PlayerMerge
from players.models.opt_in import FideOptIn
from players.models.player import Player
from players.models.privacy import PrivacyRequest
from players.models.sharing import Follow, GuardianConsent, ShareLink

__all__ = [
    "Claim",
    "Contact",
    "ExternalRating",
    "FideLinkRefusal",
    "FideList",
    "FideOptIn",
    "FidePlayer",
    "FideRating",
    "Follow",
    "ForgetRequest",
    "Guardian",
    "GuardianAccount",
    "GuardianConsent",
    "ImportWord",
    "Intake",
    "IntakeRow",
    "Invitation",
    "Membership",
    "MembershipType",
    "NotSamePerson",
    "Player",
    "PlayerMerge",
    "PrivacyRequest",
    "ShareLink",
]
