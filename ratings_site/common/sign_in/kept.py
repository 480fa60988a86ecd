"""A form that was sent when its session had ended, kept until its owner is back.

It stays in the session of a browser, for the account that was signed in there last: a
signed cookie says which one. So nobody else who signs in there sees it. That the form's
token still counted tells that it was opened since that sign-in.
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

from ratings_site.common.acts.pages import MOST_GIVEN_BACK, labeled, sent_fields
from ratings_site.common.models import User
from ratings_site.common.web.filled import above_content, with_typed

KEY: Final = "kept_form"
COOKIE: Final = "last_account"
KEPT_FOR: Final = 3600  # seconds
# A form that is older than a session can be was opened before the cookie was.
COOKIE_AGE: Final = 2 * settings.SESSION_COOKIE_AGE


@dataclass
class KeptForm:
    """What was sent, to which address, and where its form can be shown again.

    *places* are the addresses to look at, the likeliest first.
    """

    account: int
    until: float
    sent_to: str
    places: list[str]
    fields: list[tuple[str, str]]
    files: list[str]

    @classmethod
    def of(cls, request: HttpRequest) -> Self | None:
        """Return the kept form of who is signed in, if there is one."""
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


def keep_form(request: HttpRequest) -> KeptForm | None:
    """Keep what a form sent for the account that was signed in here last."""
    account = request.get_signed_cookie(COOKIE, default="", max_age=COOKIE_AGE)
    fields = sent_fields(request)
    size = sum(len(name) + len(value) for name, value in fields)
    if not account or size > MOST_GIVEN_BACK or not (fields or request.FILES):
        return None
    sent_to = request.get_full_path()
    files = [file.name for _name, some in request.FILES.lists() for file in some]
    kept = KeptForm(
        account=int(account),
        until=time.time() + KEPT_FOR,
        sent_to=sent_to,
        places=list(dict.fromkeys([sent_to, page_of(request)])),
        fields=fields,
        files=files,
    )
    kept.keep(request)
    request.session.set_expiry(KEPT_FOR)
    return kept


def page_of(request: HttpRequest) -> str:
    """Return the page of ours on which somebody was, or else what was asked for."""
    headers = request.headers
    url = headers.get("HX-Current-URL") or headers.get("Referer") or ""
    if not url_has_allowed_host_and_scheme(url, {request.get_host()}):
        return request.get_full_path()
    parts = urlsplit(url)
    path = "/" + parts.path.lstrip("/")  # two slashes would lead to another host
    return f"{path}?{parts.query}" if parts.query else path


@receiver(user_logged_in, dispatch_uid="keep_form_for_its_owner")
def keep_for_owner_only(request: HttpRequest, user: User, **_: Any) -> None:
    """Throw a kept form away when somebody else signs in."""
    kept = request.session.get(KEY)
    if kept and kept["account"] != user.pk:
        del request.session[KEY]
    if kept and request.session.get_expiry_age() == KEPT_FOR:
        request.session.set_expiry(None)


def given_back(page: str, request: HttpRequest, kept: KeptForm) -> tuple[str, bool]:
    """Put what was typed back into its form, or above a page that has it no longer.

    Return the page, and whether the form stands there.
    """
    again = with_typed(page, request.get_full_path(), kept.sent_to, kept.fields)
    filled, left = again or (page, kept.fields)
    context = {
        "is_there": again is not None,
        "files": kept.files,
        "typed": labeled(urlsplit(kept.sent_to).path, left),
    }
    notice = render_to_string("common/form_is_back.html", context, request)
    return above_content(filled, notice), again is not None
