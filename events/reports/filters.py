"""Filters of the report lists."""

from typing import TYPE_CHECKING, Any

from django import forms
from django.db.models import Q, QuerySet
from django.db.models.functions import Coalesce
from django.utils.translation import gettext_lazy as _

from events.models import Submission
from events.reports.queries.messages import ReportWithUnread
from events.reports.queries.reports import all_reports, reports_for_office, reports_of
from ratings_site.common.audit.forms import day_field
from ratings_site.common.models import User

if TYPE_CHECKING:
    from django.utils.functional import _StrOrPromise


def _size_field(label: "_StrOrPromise") -> forms.IntegerField:
    return forms.IntegerField(
        label=label,
        required=False,
        min_value=0,
        max_value=100_000,
        error_messages=dict.fromkeys(
            ("invalid", "min_value", "max_value"),
            _("Enter a number of entries, such as 40."),
        ),
        widget=forms.TextInput(
            attrs={"size": 4, "maxlength": 6, "inputmode": "numeric"}
        ),
    )


class ReportListFilter(forms.Form):
    """The filter of a list of reports: a TD's own (*user*), or all."""

    report = forms.ChoiceField(
        label=_("Status"),
        required=False,
        choices=[("", _("All")), *Submission.State.choices],
        error_messages={"invalid_choice": _("Choose a status from the list.")},
    )
    name = forms.CharField(label=_("Event"), required=False, max_length=80)

    def __init__(self, *args: Any, user: User | None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.user = user

    @property
    def is_filtered(self) -> bool:
        return any(self.cleaned_data.values())

    def reports(self) -> QuerySet[ReportWithUnread]:
        """Return the matching reports; invalid fields are ignored."""
        reports = all_reports() if self.user is None else reports_of(self.user)
        if state := self.cleaned_data.get("report"):
            reports = reports.filter(state=state)
        return _narrowed(reports, {"name": self.cleaned_data.get("name")})


class ReportFilter(forms.Form):
    """The filter of the queue. Without values, it shows the reports to review."""

    ANY = "any"
    MINE, NOBODYS = "mine", "nobodys"

    report = forms.ChoiceField(
        label=_("Reports"),
        required=False,
        choices=[
            ("", _("To review")),
            (Submission.State.OPEN, _("TD drafts")),
            (Submission.State.RETURNED, _("Returned for changes")),
            (Submission.State.ACCEPTED, _("Accepted")),
            (Submission.State.WITHDRAWN, _("Withdrawn")),
            (ANY, _("All")),
        ],
    )
    holder = forms.ChoiceField(
        label=_("Assigned to"),
        required=False,
        choices=[("", _("Anyone")), (MINE, _("Me")), (NOBODYS, _("Unassigned"))],
        error_messages={"invalid_choice": _("Choose from the list.")},
    )
    name = forms.CharField(label=_("Event"), required=False, max_length=80)
    affiliate = forms.CharField(label=_("Affiliate"), required=False, max_length=80)
    state = forms.RegexField(
        r"^[A-Za-z]{2}$",
        label=_("Affiliate’s state"),
        required=False,
        error_messages={"invalid": _("Enter a two-letter state, such as IL.")},
        widget=forms.TextInput(attrs={"size": 3, "maxlength": 2}),
    )
    td = forms.CharField(label=_("Sent by"), required=False, max_length=80)
    since = day_field(_("Ended on or after"))
    until = day_field(_("Ended on or before"))
    fewest = _size_field(_("Minimum entries"))
    most = _size_field(_("Maximum entries"))

    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.user = user

    def reports(self) -> QuerySet[ReportWithUnread]:
        """Return the matching reports; invalid fields are ignored."""
        wanted = self.cleaned_data
        reports = _narrowed(_reports_of(wanted.get("report", "")), wanted)
        if wanted.get("holder") == self.MINE:
            return reports.filter(claimed_by=self.user)
        if wanted.get("holder") == self.NOBODYS:
            return reports.filter(claimed_by=None)
        return reports


def _reports_of(which: str) -> QuerySet[ReportWithUnread]:
    """Return the reports of a state: open ones oldest first, others newest first."""
    since = Coalesce("submitted_at", "received_at")
    if not which:
        return reports_for_office().annotate(since=since)
    reports = all_reports().annotate(since=since)
    reports = reports.select_related("affiliate", "decided_by", "claimed_by")
    if which == ReportFilter.ANY:
        return reports.order_by("-pk")
    reports = reports.filter(state=which)
    is_open = which in Submission.EDITABLE
    return reports.order_by("received_at" if is_open else "-pk", "pk")


def _narrowed(
    reports: QuerySet[ReportWithUnread], wanted: dict[str, object]
) -> QuerySet[ReportWithUnread]:
    lookups = {
        "name": "event_name__icontains",
        "state": "affiliate__state__iexact",
        "since": "ends__gte",
        "until": "ends__lte",
        "fewest": "entry_count__gte",
        "most": "entry_count__lte",
    }
    for name, lookup in lookups.items():
        value = wanted.get(name)
        if value not in (None, ""):
            reports = reports.filter(**{lookup: value})
    if text := wanted.get("affiliate"):
        reports = reports.filter(
            Q(affiliate__name__icontains=text) | Q(affiliate__affiliate_id__iexact=text)
        )
    for word in str(wanted.get("td") or "").split():
        reports = reports.filter(
            Q(uploaded_by__username__icontains=word)
            | Q(uploaded_by__first_name__icontains=word)
            | Q(uploaded_by__last_name__icontains=word)
        )
    return reports
