"""Pages of notices: list, preferences, unsubscribe."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt

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
from ratings_site.common.ui.pagination import ROWS_PER_PAGE
from ratings_site.common.web.requests import SignedInRequest


@never_cache
@login_required
def notices(request: SignedInRequest) -> HttpResponse:
    """List the account's notices, unread ones first."""
    mine = Paginator(notices_of(request.user), ROWS_PER_PAGE)
    context = {"page_obj": mine.get_page(request.GET.get("page"))}
    return render(request, "common/notices/list.html", context)


@never_cache
@login_required
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


@never_cache
@login_required
def settings(request: SignedInRequest) -> HttpResponse:
    """Edit the account's notice preferences."""
    is_sent = request.method == "POST"
    form = NoticeSettingsForm(request.POST if is_sent else None, user=request.user)
    if is_sent and form.is_valid():
        form.save()
        messages.success(request, _("Your settings are saved."))
        return redirect("notices:settings")
    context = {"form": form}
    status = 422 if is_sent else 200
    return render(request, "common/notices/settings.html", context, status=status)


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
