"""Staff with just the permissions that a test is about."""

from django.contrib.auth.models import Permission

from ratings_site.common.models import User
from tests.factories import make_staff

GRANT = "ratings.grant_floor"
LOWER = "ratings.lower_floor"
CEILING = "ratings.impose_ceiling"
ADJUST = "ratings.adjust_rating"


def staff_who_may(*names: str) -> User:
    """An account of the office with these permissions besides the daily ones."""
    user = make_staff()
    for name in names:
        app, codename = name.split(".")
        user.user_permissions.add(
            Permission.objects.get(content_type__app_label=app, codename=codename)
        )
    return User.objects.get(pk=user.pk)


def clerk() -> User:
    """An account of the office without any of them."""
    user = make_staff()
    user.groups.clear()
    user.user_permissions.add(Permission.objects.get(codename="review_submission"))
    return User.objects.get(pk=user.pk)
