"""Office accounts and their second factors."""

from allauth.mfa.models import Authenticator
from django.db.models import Q

from ratings_site.common.models import User

# Recovery codes are only a backup of one of these.
SECOND_FACTORS = (Authenticator.Type.TOTP, Authenticator.Type.WEBAUTHN)

OFFICE_ACCOUNTS = (
    Q(is_staff=True)
    | Q(is_superuser=True)
    | Q(groups__isnull=False)
    | Q(user_permissions__isnull=False)
)


def lacks_second_factor(user: User) -> bool:
    """Return whether an office account has only a password."""
    protected = Authenticator.objects.filter(type__in=SECOND_FACTORS)
    account = User.objects.filter(OFFICE_ACCOUNTS, pk=user.pk)
    return account.exclude(pk__in=protected.values("user")).exists()
