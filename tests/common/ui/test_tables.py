"""Tables compute the attributes of cells once per column."""

import django_tables2 as tables
from django.template.loader import render_to_string
from django.test import RequestFactory
from django.utils.html import format_html

from ratings_site.common.ui.tables import NUMBER, Table


class Members(Table):
    name = tables.Column(linkify=lambda record: f"/{record['number']}/")
    number = tables.Column(attrs=NUMBER)
    floor = tables.Column(attrs={"td": {"data-label": "Floor & more"}})

    def render_floor(self, value):
        return format_html("<b>{}</b>", value)


def test_each_cell_has_the_attributes_of_its_column():
    table = Members(
        [
            {"name": "Ana <Ruiz>", "number": 1, "floor": 1200},
            {"name": "Bea", "number": 2, "floor": None},
        ],
        orderable=False,
    )
    request = RequestFactory().get("/")
    page = render_to_string("partials/table.html", {"table": table}, request)
    assert page.count("<tr>") == 2
    assert (
        '<tr><td ><a href="/1/">Ana &lt;Ruiz&gt;</a></td><td class="num">1</td>'
        '<td data-label="Floor &amp; more"><b>1200</b></td></tr>'
    ) in page
    assert (
        '<tr><td ><a href="/2/">Bea</a></td><td class="num">2</td>'
        '<td data-label="Floor &amp; more">—</td></tr>'
    ) in page
