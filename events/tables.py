"""Lists of at most fifty rows a page."""

from datetime import date

import django_tables2 as tables

from events.models import Event
from ratings_site.common.figures import day

NUMBER = {"th": {"class": "num"}, "td": {"class": "num"}}


class EventTable(tables.Table):
    """The events in the books."""

    caption = "Events"

    name = tables.Column(
        verbose_name="Event", linkify=True, order_by=("name", "-ends", "-event_id")
    )
    ends = tables.Column(
        verbose_name="Ended",
        order_by=("ends", "event_id"),
        attrs={"td": {"class": "nowrap"}},
    )
    city = tables.Column(verbose_name="Place", order_by=("state", "city", "-ends"))
    section_count = tables.Column(
        verbose_name="Sections", orderable=False, attrs=NUMBER
    )
    entry_count = tables.Column(verbose_name="Entries", orderable=False, attrs=NUMBER)

    class Meta:
        model = Event
        fields = ("name", "ends", "city", "section_count", "entry_count")
        attrs = {"class": "walk"}
        empty_text = "No event is like this. Try fewer letters, or any state and year."

    def render_ends(self, value: date) -> str:
        return day(value)

    def render_city(self, record: Event) -> str:
        return ", ".join(part for part in (record.city, record.state) if part)
