"""Offering a child an account of their own, once at 13 and once at 18.

The letters go to the guardians, who pass the link on.
"""

from datetime import date, timedelta

from django.db import transaction
from django.db.models import Q
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from players.claims.queries import guardian_accounts
from players.claims.services.claims import MIN_ACCOUNT_AGE, lock_member
from players.guardians.notices import ADULT_AGE, is_of_age
from players.guardians.queries import members_with_recipients
from players.models import Guardian, Invitation, Player
from ratings_site.common.audit.services import record
from ratings_site.common.jobs.nightly import register_nightly
from ratings_site.common.jobs.services import enqueue
from ratings_site.common.models import User
from ratings_site.common.notices.services import NoticeDraft, notify, register

OFFER = register_nightly("players.offer_own_accounts")
MAIL_OFFER = "players.mail_offer"
AGES = (MIN_ACCOUNT_AGE, ADULT_AGE)
# Missed days are caught up; members past this window are offered nothing.
CATCH_UP = timedelta(days=31)

OWN_ACCOUNT = register(
    "players.own_account",
    _("Accounts for children"),
    _("Your child can now have their own account."),
)


def due_offers(today: date) -> list[tuple[int, int]]:
    """Return the members to offer an account, with the age just reached: 13 or 18."""
    guarded = Q(guardian__isnull=False) | Q(
        pk__in=members_with_recipients().values("pk")
    )
    without = Player.objects.filter(
        guarded, account=None, merged_into=None, status=Player.Status.ACTIVE
    )
    due = []
    for age in AGES:
        year = today.year - age
        about = Q(birth_date__range=(date(year - 1, 1, 1), date(year, 12, 31)))
        about |= Q(birth_date=None, birth_year__in=(year - 1, year))
        born = without.filter(about).exclude(invitations__at_age=age)
        due += [
            (player.pk, age)
            for player in born.only("birth_date", "birth_year")
            if is_of_age(player.latest_birth_date, today, age)
            and not is_of_age(player.latest_birth_date, today - CATCH_UP, age)
        ]
    return due


def offer_own_account(*, player_id: int, age: int) -> Invitation | None:
    """Mail the guardians once; do nothing if there is no guardian."""
    with transaction.atomic():
        player = lock_member(player_id)
        if player.account_id or player.invitations.filter(at_age=age).exists():
            return None
        letters = _recipients(player)
        if not letters:
            return None
        invitation = Invitation.objects.create(player=player, at_age=age)
        for place, to in enumerate(letters):
            args = {"invitation": invitation.pk, **to}
            enqueue(MAIL_OFFER, key=f"{invitation.pk}:{place}", args=args)
        notify(_notice(invitation, account) for account in guardian_accounts(player))
        record("player.own_account_offered", subject=player, actor=None)
    return invitation


def _recipients(player: Player) -> list[dict[str, int]]:
    """Return the recipients of the letters, each address once."""
    found: dict[str, dict[str, int]] = {}
    for guardian in Guardian.objects.filter(player=player):
        found[guardian.email.casefold()] = {"guardian": guardian.pk}
    for account in guardian_accounts(player):
        if account.email:
            found[account.email.casefold()] = {"account": account.pk}
    return list(found.values())


def _notice(invitation: Invitation, account: User) -> NoticeDraft:
    name = invitation.player.full_name

    def write() -> tuple[str, str]:
        title = gettext("{name} can now have their own account").format(name=name)
        return title, gettext("We emailed you a link to give them.")

    key = f"own-account:{invitation.pk}"
    return NoticeDraft(
        OWN_ACCOUNT, account.pk, key, "/players/claim/", write, by_mail=False
    )
