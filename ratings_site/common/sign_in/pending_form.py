"""Pending forms: submitted after the session ended, saved until the owner signs in.

A form is stored in the browser's session for the account that was last signed in there,
which a signed cookie names, so no other account sees it. A valid CSRF token proves that
the form was opened after that sign-in.
"""

import time
from dataclasses import asdict, dataclass
from typing import Any, Final, Self
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib.auth.signals import user_logged_in
from django.dispatch import receiver
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.template.loader import render_to_string
from django.utils.http import url_has_allowed_host_and_scheme

from ratings_site.common.approvals.pages import (
    MAX_RESTORED_LENGTH,
    label_fields,
    submitted_fields,
)
from ratings_site.common.models import User
from ratings_site.common.web.form_restore import fill_form, insert_notice

KEY: Final = "kept_form"
COOKIE: Final = "last_account"
LIFETIME_SECONDS: Final = 3600  # seconds
# Longer than any session, so a valid form always has its cookie.
COOKIE_AGE: Final = 2 * settings.SESSION_COOKIE_AGE


@dataclass
class PendingForm:
    """The submitted fields, their target URL, and pages that may have the form.

    *places* are the URLs of these pages, the most likely first.
    """

    account: int
    until: float
    sent_to: str
    places: list[str]
    fields: list[tuple[str, str]]
    files: list[str]

    @classmethod
    def of(cls, request: HttpRequest) -> Self | None:
        """Return the pending form of the user, or None."""
        said = request.session.get(KEY)
        kept = cls(**said) if said else None
        is_own = kept and kept.account == request.user.pk and kept.until > time.time()
        return kept if is_own else None

    def keep(self, request: HttpRequest) -> None:
        request.session[KEY] = asdict(self)


def remember_account(response: HttpResponseBase, user: User) -> None:
    response.set_signed_cookie(
        COOKIE,
        str(user.pk),
        max_age=COOKIE_AGE,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )


def save_pending_form(request: HttpRequest) -> PendingForm | None:
    """Save a submitted form for the account that was last signed in here."""
    account = request.get_signed_cookie(COOKIE, default="", max_age=COOKIE_AGE)
    fields = submitted_fields(request)
    size = sum(len(name) + len(value) for name, value in fields)
    if not account or size > MAX_RESTORED_LENGTH or not (fields or request.FILES):
        return None
    sent_to = request.get_full_path()
    sent = [file for _name, some in request.FILES.lists() for file in some]
    files = [file.name for file in sent if file.name]
    kept = PendingForm(
        account=int(account),
        until=time.time() + LIFETIME_SECONDS,
        sent_to=sent_to,
        places=list(dict.fromkeys([sent_to, current_page_url(request)])),
        fields=fields,
        files=files,
    )
    kept.keep(request)
    request.session.set_expiry(LIFETIME_SECONDS)
    return kept


def current_page_url(request: HttpRequest) -> str:
    """Return the page that sent the request, or the requested URL."""
    headers = request.headers
    url = headers.get("HX-Current-URL") or headers.get("Referer") or ""
    if not url_has_allowed_host_and_scheme(url, {request.get_host()}):
        return request.get_full_path()
    parts = urlsplit(url)
    path = "/" + parts.path.lstrip("/")  # two slashes would name another host
    return f"{path}?{parts.query}" if parts.query else path


@receiver(user_logged_in, dispatch_uid="keep_form_for_its_owner")
def discard_for_other_user(request: HttpRequest, user: User, **_: Any) -> None:
    """Discard a pending form when a different account signs in."""
    kept = request.session.get(KEY)
    if kept and kept["account"] != user.pk:
        del request.session[KEY]
    if kept and request.session.get_expiry_age() == LIFETIME_SECONDS:
        request.session.set_expiry(None)


def restore_form(
    page: str, request: HttpRequest, kept: PendingForm
) -> tuple[str, bool]:
    """Fill the form of a page, or show the values above a page without the form.

    Return the page, and whether it has the form.
    """
    again = fill_form(page, request.get_full_path(), kept.sent_to, kept.fields)
    filled, left = again or (page, kept.fields)
    context = {
        "is_there": again is not None,
        "files": kept.files,
        "typed": label_fields(urlsplit(kept.sent_to).path, left),
    }
    notice = render_to_string("common/form_is_back.html", context, request)
    return insert_notice(filled, notice), again is not None
