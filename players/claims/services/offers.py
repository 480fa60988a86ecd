"""Offering a child an account of its own, once at 13 and once at 18.

The office writes to the guardians: the link is theirs to hand on.
"""

from datetime import date, timedelta

from django.db import transaction
from django.db.models import Q
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from players.claims.queries import guardian_accounts
from players.claims.services.claiming import OWN_ACCOUNT_FROM, locked_member
from players.guardians.notices import OF_AGE, is_of_age
from players.guardians.queries import heard_of
from players.models import Guardian, Invitation, Player
from ratings_site.common.audit.services import record
from ratings_site.common.jobs.nightly import every_night
from ratings_site.common.jobs.services import enqueue
from ratings_site.common.models import User
from ratings_site.common.notices.services import Kind, News, notify, register

OFFER = every_night("players.offer_own_accounts")
MAIL_OFFER = "players.mail_offer"
AGES = (OWN_ACCOUNT_FROM, OF_AGE)
# An office that slept catches up; who was older when it opened is offered nothing.
CATCH_UP = timedelta(days=31)

OWN_ACCOUNT = register(
    Kind(
        "players.own_account",
        gettext_lazy("Children’s own accounts"),
        gettext_lazy("A child in your care may have an account of its own."),
    )
)


def due_offers(today: date) -> list[tuple[int, int]]:
    """Return whom to offer an account, and at which birthday: lately 13 or 18."""
    guarded = Q(guardian__isnull=False) | Q(pk__in=heard_of().values("pk"))
    without = Player.objects.filter(
        guarded, account=None, merged_into=None, status=Player.Status.ACTIVE
    )
    due = []
    for age in AGES:
        year = today.year - age
        about = (date(year - 1, 1, 1), date(year, 12, 31))
        born = without.filter(birth_date__range=about).exclude(invitations__at_age=age)
        due += [
            (number, age)
            for number, birth_date in born.values_list("pk", "birth_date")
            if is_of_age(birth_date, today, age)
            and not is_of_age(birth_date, today - CATCH_UP, age)
        ]
    return due


def offer_own_account(*, player_id: int, age: int) -> Invitation | None:
    """Write to the guardians once; to nobody where there is none."""
    with transaction.atomic():
        player = locked_member(player_id)
        if player.account_id or player.invitations.filter(at_age=age).exists():
            return None
        letters = _letters(player)
        if not letters:
            return None
        invitation = Invitation.objects.create(player=player, at_age=age)
        for place, to in enumerate(letters):
            args = {"invitation": invitation.pk, **to}
            enqueue(MAIL_OFFER, key=f"{invitation.pk}:{place}", args=args)
        notify(_news(invitation, account) for account in guardian_accounts(player))
        record("player.own_account_offered", subject=player, actor=None)
    return invitation


def _letters(player: Player) -> list[dict[str, int]]:
    """Return whose addresses get a letter, each address once."""
    found: dict[str, dict[str, int]] = {}
    for guardian in Guardian.objects.filter(player=player):
        found[guardian.email.casefold()] = {"guardian": guardian.pk}
    for account in guardian_accounts(player):
        if account.email:
            found[account.email.casefold()] = {"account": account.pk}
    return list(found.values())


def _news(invitation: Invitation, account: User) -> News:
    name = invitation.player.name

    def write() -> tuple[str, str]:
        title = _("{name} may have an account of their own").format(name=name)
        return title, _("A letter with a link to hand on is in your mailbox.")

    key = f"own-account:{invitation.pk}"
    return News(OWN_ACCOUNT, account.pk, key, "/players/claim/", write, by_mail=False)
