"""Pages of notices: list, preferences, unsubscribe."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse_lazy
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt

from ratings_site.common.accounts.permissions import account_required
from ratings_site.common.approvals.pages import EditView
from ratings_site.common.models import User
from ratings_site.common.notices.forms import NoticeSettingsForm
from ratings_site.common.notices.mail import InvalidLink, read_token
from ratings_site.common.notices.services import (
    MAIL,
    kinds,
    mark_read,
    notices_of,
    save_preferences,
)
from ratings_site.common.ui.pagination import paginate
from ratings_site.common.web.requests import SignedInRequest


@account_required
def notices(request: SignedInRequest) -> HttpResponse:
    """List the account's notices, unread ones first."""
    context = {"page_obj": paginate(request, notices_of(request.user))}
    return render(request, "common/notices/list.html", context)


@account_required
def read(request: SignedInRequest) -> HttpResponse:
    """Mark one of the account's notices as read, or all."""
    if request.method == "POST":
        wanted = request.POST.get("notice", "")
        if wanted == "all":
            number = mark_read(request.user)
            messages.success(request, _marked(number))
        elif wanted.isascii() and wanted.isdecimal() and len(wanted) < 19:
            mark_read(request.user, notice_id=int(wanted))
    return redirect("notices:list")


def _marked(number: int) -> str:
    sentence = ngettext(
        "{number} notice is marked as read.",
        "{number} notices are marked as read.",
        number,
    )
    return sentence.format(number=number)


@account_required
class Settings(EditView[None]):
    """Edit the account's notice preferences."""

    form_class = NoticeSettingsForm
    template_name = "common/notices/settings.html"
    success_message = gettext_lazy("Your settings are saved.")
    success_url = reverse_lazy("notices:settings")

    def get_form_kwargs(self) -> dict[str, Any]:
        return super().get_form_kwargs() | {"user": self.request.user}

    def do(self, data: dict[str, Any]) -> None:
        self.form.save()


@csrf_exempt
@never_cache
def unsubscribe(request: HttpRequest, token: str) -> HttpResponse:
    """Turn off the kinds of notices that a signed link names.

    Mail programs send the POST without a session (RFC 8058); the signature authorizes
    it.
    """
    template = "common/notices/unsubscribe.html"
    try:
        account, names = read_token(token)
    except InvalidLink:
        return render(request, template, {"is_bad": True}, status=404)
    user = User.objects.filter(pk=account).first()
    named = [kind for kind in kinds() if kind.name in names]
    if user is None or not named:
        return render(request, template, {"is_bad": True}, status=404)
    is_done = request.method == "POST"
    if is_done:
        save_preferences(account, {(kind.name, MAIL): False for kind in named})
    return render(request, template, {"kinds": named, "is_done": is_done})
