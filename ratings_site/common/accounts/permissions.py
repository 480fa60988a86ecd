"""Permission checks for services and views."""

from collections.abc import Callable
from functools import wraps
from typing import Any, Protocol, TypeVar, cast

from django.apps import apps
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.decorators import method_decorator
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache

from ratings_site.common.models import User

# The apps whose permissions are ours.
LOCAL_APPS = ("common", "players", "events", "ratings")


class NotAllowed(PermissionDenied):
    """The user lacks *permission* for this action; the message names it."""

    def __init__(self, sentence: str, permission: str = "") -> None:
        super().__init__(sentence)
        self.permission = permission


def action_permissions() -> dict[str, str]:
    """Return all permissions for actions: "app.codename" to name.

    They are defined in the models' ``Meta.permissions``.
    """
    return {
        f"{model._meta.app_label}.{codename}": str(name)
        for model in apps.get_models()
        if model._meta.app_label in LOCAL_APPS
        for codename, name in model._meta.permissions
    }


def require_permission(user: User | AnonymousUser | None, permission: str) -> None:
    """Raise NotAllowed unless *user* has *permission* (``ratings.publish_rerate``).

    None stands for background jobs, which do only what staff have set up.
    """
    if user is None or user.has_perm(permission):
        return
    name = action_permissions().get(permission, permission)
    raise NotAllowed(
        _("You need the permission “{name}” for this.").format(name=name), permission
    )


View = TypeVar("View", bound=Callable[..., Any])


class Guard(Protocol):
    """A decorator of views, functions or classes."""

    def __call__(self, view: View, /) -> View: ...


def restrict(check: Callable[[HttpRequest], None]) -> Guard:
    """Restrict a view to signed-in accounts that pass, and keep it out of caches.

    *check* raises PermissionDenied.
    """

    def guard(view: View) -> View:
        if isinstance(view, type):
            return cast(View, method_decorator(guard, name="dispatch")(view))

        @never_cache
        @login_required
        @wraps(view)
        def guarded(request: HttpRequest, **kwargs: Any) -> HttpResponseBase:
            check(request)
            response: HttpResponseBase = view(request, **kwargs)
            return response

        return cast(View, guarded)

    return guard


account_required = restrict(lambda request: None)


def permission_required(permission: str) -> Guard:
    """Restrict a view to accounts with *permission*."""
    return restrict(lambda request: require_permission(request.user, permission))


def staff_permission_required(permission: str) -> Guard:
    """Restrict a view to staff with *permission*."""

    def check(request: HttpRequest) -> None:
        if not request.user.is_staff:
            raise NotAllowed(_("This page is for clerks of the ratings office."))
        require_permission(request.user, permission)

    return restrict(check)
