"""The status of a member."""

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from players.forms import StatusForm
from players.queries.members import by_member_id, status_history
from players.services.members import PERMISSION, StatusRefused, change_status
from ratings_site.common.accounts.permissions import for_staff


@for_staff(PERMISSION)
def status(request: HttpRequest, member_id: str) -> HttpResponse:
    player = by_member_id(member_id)
    if player is None:
        raise Http404(_("No member has this ID."))
    form = StatusForm(
        request.POST if request.method == "POST" else None,
        initial={"status": player.status},
    )
    code = 200
    if request.method == "POST":
        code = 422
        if form.is_valid():
            try:
                change_status(
                    player_id=player.pk,
                    status=form.cleaned_data["status"],
                    actor=request.user,
                    reason=form.cleaned_data["reason"],
                )
            except StatusRefused as refusal:
                form.add_error(None, str(refusal))
            else:
                messages.success(
                    request,
                    _("The status of {name} is changed.").format(name=player.name),
                )
                return redirect(player)
    context = {"player": player, "form": form, "history": status_history(player)}
    return render(request, "players/office/status.html", context, status=code)
