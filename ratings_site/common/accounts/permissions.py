"""One question for every act: may this person do it?"""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.apps import apps
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache

from ratings_site.common.models import User

# The apps whose permissions are the office's own.
OUR_APPS = ("common", "players", "events", "ratings")


class NotAllowed(PermissionDenied):
    """The person lacks the *permission* for this act; the message says which."""

    def __init__(self, sentence: str, permission: str = "") -> None:
        super().__init__(sentence)
        self.permission = permission


def acts() -> dict[str, str]:
    """Return every act that has a permission of its own: "app.codename" to its name.

    They stand in the models' ``Meta.permissions``.
    """
    return {
        f"{model._meta.app_label}.{codename}": str(name)
        for model in apps.get_models()
        if model._meta.app_label in OUR_APPS
        for codename, name in model._meta.permissions
    }


def require(user: User | AnonymousUser | None, permission: str) -> None:
    """Raise NotAllowed unless *user* has *permission* (``ratings.publish_rerate``).

    None stands for the office's own tasks, which do only what staff have set up.
    """
    if user is None or user.has_perm(permission):
        return
    name = acts().get(permission)
    in_words = f" (“{name}”)" if name else ""
    raise NotAllowed(
        _("Your account lacks the permission {permission!r}{in_words}.").format(
            permission=permission, in_words=in_words
        ),
        permission,
    )


View = Callable[..., HttpResponseBase]


def for_staff(permission: str) -> Callable[[View], View]:
    """Let staff who have *permission* see a page; nothing of it is for caches."""

    def guard(view: View) -> View:
        @never_cache
        @login_required
        @wraps(view)
        def guarded(request: HttpRequest, **kwargs: Any) -> HttpResponseBase:
            if not request.user.is_staff:
                raise NotAllowed(_("This page belongs to the ratings office."))
            require(request.user, permission)
            return view(request, **kwargs)

        return guarded

    return guard
