"""The table of published rerates."""

from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from ratings.models import Run
from ratings_site.common.ui.formatting import format_day
from ratings_site.common.ui.icons import icon_svg
from ratings_site.common.ui.tables import Table, column, csv_fields


class RerateTable(Table):
    """The published rerates."""

    caption = _("Published rerates")
    row_header = "rerate"
    tiebreak = ("-published_at", "-pk")
    nullable = frozenset({"from_day"})
    csv_columns = csv_fields(
        "",
        rerate="pk",
        published=lambda run: timezone.localdate(run.published_at),
        rerated_from="from_day",
        sections_rerated="sections",
        ratings_changed="changes",
        status="status",
    )

    rerate = column(
        _("Rerate"),
        "name",
        accessor="pk",
        order_by="pk",
        linkify=lambda record: reverse("ratings:rerate", args=[record.pk]),
    )
    published_at = column(_("Published"), "day labeled nowrap")
    from_day = column(_("Rerated from"), "day labeled", default=_("the start"))
    sections = column(_("Sections rerated"), "num labeled")
    changes = column(_("Ratings changed"), "num labeled")
    status = column(_("State"))

    class Meta:
        attrs = {"class": "cardlike walk"}

    def render_rerate(self, record: Run) -> str:
        return str(record)

    def render_status(self, record: Run) -> str:
        if record.undone_at is None:
            return ""
        return format_html(
            '<span class="chip warning">{} {}</span> <span class="small">{}</span>',
            SafeString(icon_svg("warning")),
            gettext("Undone"),
            format_day(record.undone_at),
        )
