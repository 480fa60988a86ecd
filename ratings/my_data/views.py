"""The page on which people take their data home, and the office's to forget them."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from players.access import member_or_404
from ratings.my_data.pages import archive
from ratings.my_data.services import PERMISSION, NotForgotten, forget_member, kept
from ratings_site.common.accounts.permissions import for_staff
from ratings_site.common.acts.forms import ReasonForm
from ratings_site.common.audit.services import record


@never_cache
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def my_data(request: HttpRequest) -> HttpResponse:
    """Say what is kept and why; the file is made on request, and that is noted."""
    if request.method == "POST":
        record("account.data_taken", subject=request.user, actor=request.user)
        response = HttpResponse(archive(request.user), content_type="application/zip")
        name = f"my-data-{timezone.localdate():%Y-%m-%d}.zip"
        response["Content-Disposition"] = f'attachment; filename="{name}"'
        return response
    member = getattr(request.user, "player", None)
    context = {"member": member, "kept": kept(member) if member else []}
    return render(request, "ratings/my_data/page.html", context)


@for_staff(PERMISSION)
def forget(request: HttpRequest, member_id: str) -> HttpResponse:
    """Let the office forget a member who asks for it."""
    member = member_or_404(member_id)
    form = ReasonForm(request.POST if request.method == "POST" else None)
    if form.is_bound and form.is_valid():
        try:
            forget_member(
                player_id=member.pk,
                actor=request.user,
                reason=form.cleaned_data["reason"],
            )
        except NotForgotten as refusal:
            form.add_error(None, str(refusal))
        else:
            messages.success(request, _("What could go is gone."))
            return redirect(member)
    context = {"member": member, "form": form, "kept": kept(member)}
    code = 422 if form.is_bound else 200
    return render(request, "ratings/my_data/forget.html", context, status=code)
