"""The office's directory of members, and a member's page for the office."""

from typing import Any

from django.http import Http404, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _

from events.access import office_required, td_records
from players.formats.table_reader import to_csv
from players.members.queries import membership_label
from ratings.office.forms import MemberFileForm, MemberFilter
from ratings.office.pages import member_actions
from ratings.office.search import (
    COLUMNS,
    file_rows,
    member_on_record,
    open_corrections_of,
    reports_of_member,
)
from ratings.office.tables import MemberTable
from ratings_site.common.approvals.pages import EditView
from ratings_site.common.audit.log import lines
from ratings_site.common.audit.services import entries_about, record
from ratings_site.common.ui.pagination import sort_and_paginate
from ratings_site.common.web.files import CSV_TEXT, attachment_header
from ratings_site.common.web.requests import SignedInRequest

MAX_REPORTS = 10
MAX_ENTRIES = 20


@office_required
def members(request: SignedInRequest) -> HttpResponseBase:
    """Search, sort and filter all members; with ``format=csv`` as a file."""
    form = MemberFilter(request.GET)
    is_valid = form.is_valid()
    if is_valid and request.GET.get("format") == "csv":
        return _member_file(form, {})
    table = MemberTable(form.members())
    sort_and_paginate(request, table)
    context = {
        "form": form,
        "is_filtered": any(form.cleaned_data.values()),
        "table": table,
        "query": request.GET.urlencode(),
    }
    status = 200 if is_valid else 422
    return render(request, "ratings/office/members.html", context, status=status)


def _member_file(form: MemberFilter, more: dict[str, str]) -> StreamingHttpResponse:
    rows = file_rows(form.members(), COLUMNS | more)
    name = f"members-{timezone.localdate():%Y-%m-%d}.csv"
    lines = (to_csv([row]) for row in rows)
    return StreamingHttpResponse(lines, CSV_TEXT, headers=attachment_header(name))


@office_required
class MemberFile(EditView[MemberFilter]):
    """Download the members of a filter with personal data, for a reason."""

    template_name = "ratings/office/member_file.html"
    form_class = MemberFileForm

    def get_object(self) -> MemberFilter:
        return MemberFilter(self.request.GET)

    def unavailable_response(self) -> HttpResponse | None:
        return None if self.object.is_valid() else redirect("ratings:members")

    def get_form_kwargs(self) -> dict[str, Any]:
        return super().get_form_kwargs() | {"user": self.request.user}

    def do(self, data: dict[str, Any]) -> HttpResponseBase:
        personal = self.form.columns()
        chosen = {
            key: value for key, value in self.object.cleaned_data.items() if value
        }
        record(
            "members.exported",
            subject=self.request.user,
            actor=self.request.user,
            reason=data["reason"],
            facts={"columns": list(personal), "filter": chosen},
        )
        return _member_file(self.object, personal)

    def context(self) -> dict[str, Any]:
        return {"number": self.object.members().count()}


@office_required
def member(request: SignedInRequest, member_id: str) -> HttpResponse:
    """Show a member's record with all actions that the account may do."""
    player = member_on_record(member_id)
    if player is None:
        raise Http404(_("No member has this ID."))
    if player.merged_into is not None:
        return redirect("ratings:member", player.merged_into.member_id)
    user, entries = request.user, []
    official = td_records(pk=player.pk).first()
    if user.has_perm("common.view_auditentry"):
        entries = lines(list(entries_about(player)[:MAX_ENTRIES]))
    context = {
        "player": player,
        "membership": membership_label(player),
        "actions": member_actions(player, official, user),
        "official": official,
        "contact": getattr(player, "contact", None),
        "guardian": getattr(player, "guardian", None),
        "claims": player.claims.filter(as_td=False).select_related("account"),
        "invitations": player.invitations.select_related("made_by", "used_by"),
        "reports": reports_of_member(player)[:MAX_REPORTS],
        "corrections": open_corrections_of(player),
        "entries": entries,
    }
    return render(request, "ratings/office/member.html", context)
