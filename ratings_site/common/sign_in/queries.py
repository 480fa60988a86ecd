"""Whose accounts open the office, and what they are protected by."""

from allauth.mfa.models import Authenticator
from django.db.models import Q

from ratings_site.common.models import User

# Recovery codes come with one of these and are none by themselves.
SECOND_FACTORS = (Authenticator.Type.TOTP, Authenticator.Type.WEBAUTHN)

OF_THE_OFFICE = (
    Q(is_staff=True)
    | Q(is_superuser=True)
    | Q(groups__isnull=False)
    | Q(user_permissions__isnull=False)
)


def lacks_second_factor(user: User) -> bool:
    """Tell whether an account may do more than others and has only a password."""
    protected = Authenticator.objects.filter(type__in=SECOND_FACTORS)
    account = User.objects.filter(OF_THE_OFFICE, pk=user.pk)
    return account.exclude(pk__in=protected.values("user")).exists()
