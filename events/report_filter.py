"""Which reports the office wants to see."""

from django import forms
from django.db.models import Q, QuerySet
from django.db.models.functions import Coalesce

from events.models import Submission
from events.queries import all_reports, reports_for_office
from ratings_site.common.forms import day_field


def _size_field(label: str) -> forms.IntegerField:
    return forms.IntegerField(
        label=label,
        required=False,
        min_value=0,
        max_value=100_000,
        error_messages=dict.fromkeys(
            ("invalid", "min_value", "max_value"), "A number of entries, such as 40."
        ),
        widget=forms.TextInput(
            attrs={"size": 4, "maxlength": 6, "inputmode": "numeric"}
        ),
    )


class ReportFilter(forms.Form):
    """Which reports to list. Everything may stay blank: then those to decide."""

    ANY = "any"

    report = forms.ChoiceField(
        label="Reports",
        required=False,
        choices=[
            ("", "to decide"),
            (Submission.State.OPEN, "with the TD"),
            (Submission.State.RETURNED, "returned"),
            (Submission.State.ACCEPTED, "accepted"),
            (Submission.State.WITHDRAWN, "withdrawn"),
            (ANY, "all"),
        ],
    )
    name = forms.CharField(label="Event", required=False, max_length=80)
    affiliate = forms.CharField(label="Affiliate", required=False, max_length=80)
    state = forms.RegexField(
        r"^[A-Za-z]{2}$",
        label="Its state",
        required=False,
        error_messages={"invalid": "A state has two letters, such as OH."},
        widget=forms.TextInput(attrs={"size": 3, "maxlength": 2}),
    )
    td = forms.CharField(label="Sent by", required=False, max_length=80)
    since = day_field("Ended from")
    until = day_field("Ended until")
    fewest = _size_field("Entries from")
    most = _size_field("Entries to")

    def reports(self) -> QuerySet[Submission]:
        """Return the reports that fit; a field with a fault is passed over."""
        wanted = self.cleaned_data
        return _narrowed(_reports_of(wanted.get("report", "")), wanted)


def _reports_of(which: str) -> QuerySet[Submission]:
    """Return the reports of a state: what waits the oldest first, else the newest."""
    if not which:
        return reports_for_office().annotate(
            since=Coalesce("submitted_at", "received_at")
        )
    reports = (
        all_reports()
        .select_related("affiliate", "decided_by")
        .annotate(since=Coalesce("submitted_at", "received_at"))
    )
    if which == ReportFilter.ANY:
        return reports.order_by("-pk")
    reports = reports.filter(state=which)
    is_open = which in Submission.EDITABLE
    return reports.order_by("received_at" if is_open else "-pk", "pk")


def _narrowed(
    reports: QuerySet[Submission], wanted: dict[str, object]
) -> QuerySet[Submission]:
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
