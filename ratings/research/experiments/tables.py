"""The list of experiments."""

from typing import Any

import django_tables2 as tables
from django.utils.html import format_html
from django.utils.translation import gettext, gettext_lazy

from ratings.models import Experiment
from ratings_site.common.ui.formatting import format_day
from ratings_site.common.ui.tables import NUMBER, Table


class ExperimentTable(Table):
    """Experiments, newest first, with public titles outside the committee."""

    caption = gettext_lazy("Experiments, newest first")

    shown_title = tables.Column(
        verbose_name=gettext_lazy("Experiment"),
        order_by=("shown_title", "pk"),
        linkify=True,
        attrs={"th": {"class": "name"}, "td": {"class": "name"}},
    )
    kind = tables.Column(verbose_name=gettext_lazy("Kind"))
    games = tables.Column(
        accessor="history__games", verbose_name=gettext_lazy("Games"), attrs=NUMBER
    )
    variants = tables.Column(
        accessor="variant_count",
        verbose_name=gettext_lazy("Variants"),
        attrs={
            "th": {"class": "num wide-only"},
            "td": {"class": "num wide-only"},
        },
    )
    status = tables.Column(verbose_name=gettext_lazy("Status"))
    asked_at = tables.Column(
        verbose_name=gettext_lazy("Date"), attrs={"td": {"class": "nowrap"}}
    )

    class Meta:
        model = Experiment
        fields = ("shown_title", "kind", "games", "variants", "status", "asked_at")
        attrs = {"class": "walk"}
        empty_text = gettext_lazy("Published experiments will appear here.")

    def __init__(self, *args: Any, for_committee: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.for_committee = for_committee
        if for_committee:
            self.empty_text = gettext_lazy(
                "Experiments will appear here. Start one with “New experiment” or an "
                "example below."
            )
        else:
            self.columns.hide("status")

    def render_games(self, value: int) -> str:
        return f"{value:,}"

    def render_status(self, record: Experiment) -> str:
        if record.is_published:
            return format_html(
                "{} · {}", record.get_status_display(), gettext("published")
            )
        return record.get_status_display()

    def render_asked_at(self, record: Experiment) -> str:
        shown = record.asked_at if self.for_committee else record.published_at
        return format_day(shown) if shown else "–"
