"""How late reports are, as a list."""

import django_tables2 as tables
from django.utils.translation import gettext_lazy as _

from ratings_site.common.looks.tables import NUMBER


class LatenessTable(tables.Table):
    """How late reports come, by affiliate or by who sent them."""

    caption = _("How late reports come")

    name = tables.Column(order_by=("family", "given", "name"), verbose_name="")
    reports = tables.Column(verbose_name=_("Reports"), attrs=NUMBER)
    late = tables.Column(verbose_name=_("Late"), attrs=NUMBER)
    average = tables.Column(verbose_name=_("Days late on average"), attrs=NUMBER)
    most = tables.Column(verbose_name=_("At most"), attrs=NUMBER)

    class Meta:
        attrs = {"class": "walk"}

    def __init__(self, *args, who: str, **kwargs) -> None:
        super().__init__(*args, **kwargs)
        self.columns["name"].column.verbose_name = who

    def render_name(self, record: dict[str, str]) -> str:
        full = " ".join(
            record[part] for part in ("given", "family") if record.get(part)
        )
        return full or record["name"]

    def render_average(self, value: float) -> str:
        return f"{value:.1f}"
