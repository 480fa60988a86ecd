"""The list of foreign events."""

from django.utils.translation import gettext_lazy as _

from events.models import ForeignEvent
from ratings_site.common.ui.formatting import days
from ratings_site.common.ui.tables import Table, column, csv_fields


class ForeignEventTable(Table):
    """The foreign events that changed ratings."""

    caption = _("Foreign events")
    row_header = "name"
    tiebreak = ("-ends", "-pk")
    csv_columns = csv_fields("name starts ends city federation", members="rated_count")

    name = column(_("Event"), "name", linkify=True)
    ends = column(_("Dates"))
    city = column(_("Place"), empty_values=(), order_by=("federation", "city"))
    rated_count = column(_("Members"), "num labeled")

    class Meta:
        attrs = {"class": "cardlike walk"}

    def render_ends(self, record: ForeignEvent) -> str:
        return days(record.starts, record.ends)

    def render_city(self, record: ForeignEvent) -> str:
        return ", ".join(filter(None, (record.city, record.federation)))
