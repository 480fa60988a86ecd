"""Lists of at most fifty rows a page."""

from datetime import date

import django_tables2 as tables
from django.utils.translation import gettext_lazy as _

from events.models import Event
from ratings_site.common.looks.figures import day_in_words
from ratings_site.common.looks.tables import NUMBER, Table


class EventTable(Table):
    """The events in the books."""

    caption = _("Events")

    name = tables.Column(
        verbose_name=_("Event"), linkify=True, order_by=("name", "-ends", "-event_id")
    )
    ends = tables.Column(
        verbose_name=_("Ended"),
        order_by=("ends", "event_id"),
        attrs={"td": {"class": "nowrap"}},
    )
    city = tables.Column(verbose_name=_("Place"), order_by=("state", "city", "-ends"))
    section_count = tables.Column(
        verbose_name=_("Sections"), orderable=False, attrs=NUMBER
    )
    entry_count = tables.Column(
        verbose_name=_("Entries"), orderable=False, attrs=NUMBER
    )

    class Meta:
        model = Event
        fields = ("name", "ends", "city", "section_count", "entry_count")
        attrs = {"class": "walk"}
        empty_text = _(
            "No event is like this. Try fewer letters, or leave some fields blank."
        )

    def render_ends(self, value: date) -> str:
        return day_in_words(value)

    def render_city(self, record: Event) -> str:
        return ", ".join(part for part in (record.city, record.state) if part)
