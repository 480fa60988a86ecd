"""Staff with just the permissions that a test is about."""

from django.contrib.auth.models import Permission

from ratings.decisions.floors.services.floors import propose_office_floor
from ratings.models import Floor
from ratings_site.common.approvals.services import approve
from ratings_site.common.models import User
from tests.factories import make_staff

GRANT = "ratings.grant_floor"
LOWER = "ratings.lower_floor"
CEILING = "ratings.impose_ceiling"
ADJUST = "ratings.adjust_rating"


def staff_with_permissions(*names: str) -> User:
    """An account of the office with these permissions in addition to the daily ones."""
    user = make_staff()
    for name in names:
        app, codename = name.split(".")
        user.user_permissions.add(
            Permission.objects.get(content_type__app_label=app, codename=codename)
        )
    return User.objects.get(pk=user.pk)


def granted_floor(**said: object) -> Floor:
    """A floor by a decision of the office, with a second approval."""
    said = {"actor": staff_with_permissions(GRANT), "reason": "A ruling."} | said
    act = propose_office_floor(**said)
    return approve(act_id=act.pk, actor=staff_with_permissions(GRANT))


def clerk() -> User:
    """An account of the office without any of them."""
    user = make_staff()
    user.groups.clear()
    user.user_permissions.add(Permission.objects.get(codename="review_submission"))
    return User.objects.get(pk=user.pk)
