"""What an account is told: the list, the switches, and the link in e-mails."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt

from ratings_site.common.looks.paging import ROWS_ON_A_PAGE
from ratings_site.common.models import User
from ratings_site.common.notices.forms import NoticeSettingsForm
from ratings_site.common.notices.mail import BadLink, read_token
from ratings_site.common.notices.services import (
    MAIL,
    kinds,
    mark_read,
    notices_of,
    switch,
)


@never_cache
@login_required
def notices(request: HttpRequest) -> HttpResponse:
    """List what the account was told, what is unread first."""
    mine = Paginator(notices_of(request.user), ROWS_ON_A_PAGE)
    context = {"page_obj": mine.get_page(request.GET.get("page"))}
    return render(request, "common/notices/list.html", context)


@never_cache
@login_required
def read(request: HttpRequest) -> HttpResponse:
    """Mark one notice as read, or all of them. Others' notices are out of reach."""
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
def settings(request: HttpRequest) -> HttpResponse:
    """Let people say what they want to hear of, and how."""
    is_sent = request.method == "POST"
    form = NoticeSettingsForm(request.POST if is_sent else None, user=request.user)
    if is_sent and form.is_valid():
        form.save()
        messages.success(request, _("Saved. It counts from now on."))
        return redirect("notices:settings")
    context = {"form": form}
    status = 422 if is_sent else 200
    return render(request, "common/notices/settings.html", context, status=status)


@csrf_exempt
@never_cache
def unsubscribe(request: HttpRequest, token: str) -> HttpResponse:
    """Switch off what a link in an e-mail names, for anyone who holds the link.

    Mail programs send the POST by themselves when somebody presses their button
    (RFC 8058), without a session; the signed link is what lets them.
    """
    template = "common/notices/unsubscribe.html"
    try:
        account, names = read_token(token)
    except BadLink:
        return render(request, template, {"is_bad": True}, status=404)
    user = User.objects.filter(pk=account).first()
    named = [kind for kind in kinds() if kind.name in names]
    if user is None or not named:
        return render(request, template, {"is_bad": True}, status=404)
    is_done = request.method == "POST"
    if is_done:
        switch(account, {(kind.name, MAIL): False for kind in named})
    return render(request, template, {"kinds": named, "is_done": is_done})
