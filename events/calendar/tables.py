"""Tables of registered events."""

from datetime import date

from django.utils import timezone
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from events.models import EventRegistration
from events.records.deadlines import deadline, registration_due_date
from events.reports.pages.chips import chip
from ratings_site.common.ui.tables import Table, column, csv_fields


class ExpectedTable(Table):
    """Registered events that ended without a report, with the days they are due."""

    caption = _("Registered events without a report")
    row_header = "name"
    tiebreak = ("ends", "pk")
    csv_columns = csv_fields(
        "name starts ends",
        due=registration_due_date,
        affiliate_id="affiliate__affiliate_id",
        affiliate="affiliate__name",
        chief_td_id="chief__member_id",
        chief_td="chief__name",
    )

    name = column(_("Event"), "name", linkify=True)
    ends = column(_("Ended"), "day labeled")
    due = column(_("Report"), "labeled", accessor="ends", orderable=False)
    affiliate = column(
        _("Affiliate"),
        "labeled",
        accessor="affiliate__name",
        order_by="affiliate__name",
    )
    chief = column(
        _("Chief TD"),
        "labeled",
        accessor="chief__name",
        order_by=("chief__private_id", "chief__search_name"),
    )

    class Meta:
        attrs = {"class": "cardlike walk"}

    def render_due(self, value: date, record: EventRegistration) -> SafeString:
        if record.is_canceled:
            return chip("warning", "warning", gettext("canceled"))
        today = timezone.localdate()
        if not record.has_ended_on(today):
            return SafeString("")
        found = deadline(registration_due_date(record), today)
        return chip(found.level, "clock", found.text) if found else SafeString("")


class RegisteredTable(ExpectedTable):
    """A TD's registered events without a report, upcoming ones too."""

    caption = _("Registered events")
    csv_columns = {**ExpectedTable.csv_columns, "status": "status"}

    starts = column(_("Starts"), "day labeled")
    ends = column(_("Ends"), "day labeled")

    class Meta(ExpectedTable.Meta):
        sequence = ("name", "starts", "ends", "...")
