from dataclasses import dataclass
from datetime import date
from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.cache import add_never_cache_headers
from django.utils.translation import gettext
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from events.access import can_request_corrections
from events.corrections.queries import corrections_of
from events.public.queries import standings_of
from ratings.engine.rules import rules_in_force
from ratings.pages.crosstable.queries.crosstable import (
    Crosstable,
    Order,
    crosstable_of,
    crosstables_of,
    event_sections,
    match_sheet,
)
from ratings.pages.crosstable.rows import (
    FIRST_ROWS,
    Layout,
    agreement,
    crosstable_rows,
    has_published,
    is_long,
    legend,
)
from ratings_site.common.models import Job
from ratings_site.common.ui.formatting import join_names
from ratings_site.common.ui.pagination import paginate

# From this number of columns on, the page is as wide as the window.
WIDE_FROM = 14
# With more rounds than this, the names stay fixed while the table scrolls.
MAX_ROUNDS = 10
COMPACT, TIEBREAKS = "compact", "tiebreaks"
SECTIONS_PER_PAGE = 20


@dataclass(frozen=True, slots=True)
class TableOptions:
    """The table options of the URL, and its invalid values."""

    layout: Layout
    decimals: bool
    view: str = ""
    faults: tuple[str, ...] = ()

    def query(self, **changed: str) -> str:
        """Return the URL of the same page with *changed* parameters."""
        parameters = {
            "order": "" if self.layout.order is Order.SCORE else self.layout.order,
            "view": self.view,
            "decimals": "1" if self.decimals else "",
        } | changed
        chosen = {name: value for name, value in parameters.items() if value}
        return f"?{urlencode(chosen)}"

    @property
    def orders(self) -> list[tuple[str, str, bool]]:
        """The available orders: name, URL, and whether it is the current one."""
        return [
            (
                str(one.label),
                self.query(order="" if one is Order.SCORE else one),
                one is self.layout.order,
            )
            for one in Order
        ]

    @property
    def views(self) -> list[tuple[str, str, bool]]:
        views = {"": _("wide"), COMPACT: _("compact"), TIEBREAKS: _("tiebreaks")}
        return [
            (label, self.query(view=view), view == self.view)
            for view, label in views.items()
        ]

    @property
    def with_decimals(self) -> str:
        return self.query(decimals="1")

    @property
    def without_decimals(self) -> str:
        return self.query(decimals="")


def table_options(request: HttpRequest) -> TableOptions:
    """Parse the URL; invalid values are ignored and reported."""
    order, view = request.GET.get("order", ""), request.GET.get("view", "")
    faults = []
    if order not in ["", *Order]:
        words = _("“{name}” is not a sort order. The table is sorted by score.")
        faults.append(words.format(name=order[:40]))
    if view not in ("", "wide", COMPACT, TIEBREAKS):
        words = _("“{name}” is not a view. This is the wide view.")
        faults.append(words.format(name=view[:40]))
    layout = Layout(
        order=Order(order) if order in list(Order) else Order.SCORE,
        is_compact=view == COMPACT,
    )
    return TableOptions(
        layout,
        request.GET.get("decimals") == "1",
        view if view in (COMPACT, TIEBREAKS) else "",
        tuple(faults),
    )


@require_safe
def crosstable(request: HttpRequest, event_id: str, number: int) -> HttpResponse:
    """Show one section with its results and rating changes."""
    table = crosstable_of(event_id, number, request.user)
    if table is None:
        raise Http404(
            _(
                "There is no section at this address. Find the event in the list of "
                "events."
            )
        )
    context = _context(request, table, table_options(request))
    response = render(request, "ratings/crosstable.html", context)
    if context["progress"]:  # it shows the live progress of a job
        add_never_cache_headers(response)
    return response


def _context(
    request: HttpRequest, table: Crosstable, options: TableOptions
) -> dict[str, Any]:
    section = table.section
    rules = rules_in_force(section.starts, settings.RATING_EDITION)
    same, compared, source = agreement(table)
    by_tiebreak = options.view == TIEBREAKS
    return {
        **_table_context(request, table, options, options.layout),
        "event": section.event,
        "edition": date.fromisoformat(table.edition) if table.edition else None,
        "options": options,
        "match": None if table.is_imported else match_sheet(table, rules),
        "standings": standings_of([section])[section.pk] if by_tiebreak else None,
        "today": timezone.localdate(),
        "can_have_decimals": _has_exact(table),
        "has_about": _has_about(table, decimals=options.decimals),
        "rated_as": join_names(gettext(one.label).lower() for one in table.systems),
        "is_long": is_long(table) and not by_tiebreak,
        "agreeing": same,
        "compared": compared,
        "published_source": source,
        "joined": any(row.other_numbers for row in table.rows),
        "tied": any(is_shared for place, is_shared in table.places().values()),
        "progress": _progress(table),
        "corrections": corrections_of([section]),
        "may_ask": can_request_corrections(request.user) and not table.is_imported,
    }


def _table_context(
    request: HttpRequest, table: Crosstable, options: TableOptions, layout: Layout
) -> dict[str, Any]:
    """Return what the table itself needs (templates/ratings/_crosstable.html)."""
    section = table.section
    table.sort(layout.order)
    rules = rules_in_force(section.starts, settings.RATING_EDITION)
    established_after = rules.established_after
    columns = 4 + (2 * len(table.systems) or 1 + table.has_printed_after) + table.rounds
    return {
        "table": table,
        "section": section,
        "compact": layout.is_compact,
        "decimals": options.decimals and _has_exact(table),
        "dual": len(table.systems) > 1,
        "with_published": has_published(table) and not layout.is_compact,
        "rounds": range(1, table.rounds + 1),
        "rows": crosstable_rows(
            table,
            decimals=options.decimals,
            established_after=established_after,
            layout=layout,
            member_id=_own_member_id(request),
        ),
        "has_more": len(table.rows) > FIRST_ROWS,
        "legend": legend(table, established_after=established_after),
        "wide": columns >= WIDE_FROM and not layout.is_compact,
        "many_rounds": table.rounds > MAX_ROUNDS,
    }


@require_safe
def all_sections(request: HttpRequest, event_id: str) -> HttpResponse:
    """Show the crosstables of all sections of an event, to read or to print."""
    page = paginate(request, list(event_sections(event_id)), SECTIONS_PER_PAGE)
    if not page.object_list:
        raise Http404(
            _("There is no event with this ID. Find the event in the list of events.")
        )
    event, options = page[0].event, TableOptions(Layout(), decimals=False)
    tables = [
        _table_context(
            request,
            table,
            options,
            Layout(
                anchor=f"s{table.section.number}p", base=f"../{table.section.number}/"
            ),
        )
        for table in crosstables_of(event, list(page), request.user)
    ]
    context = {
        "event": event,
        "tables": tables,
        "page_obj": page,
        "wide": any(one["wide"] for one in tables),
    }
    return render(request, "ratings/all_sections.html", context)


def _has_exact(table: Crosstable) -> bool:
    """Return whether the reader may see a rating of the table with its decimals."""
    return any(
        any(row.changes)
        for row in table.rows
        if table.reader.can_see_exact(row.player_id)
    )


def _has_about(table: Crosstable, *, decimals: bool) -> bool:
    """Return whether a rating is shown to the nearest 50, which the page explains."""
    return any(
        change and change.is_about
        for row in table.rows
        if not (decimals and table.reader.can_see_exact(row.player_id))
        for change in row.changes
    )


def _own_member_id(request: HttpRequest) -> str:
    player = getattr(request.user, "player", None)
    return player.member_id if player else ""


def _progress(table: Crosstable) -> dict[str, Any] | None:
    """Return the rating progress of a waiting section. Errors are for staff only."""
    if table.is_rated or table.is_imported:
        return None
    job = table.job
    if job is None or job.state == Job.State.DONE:
        return {"sentence": _("This section is waiting to be rated."), "poll": False}
    if job.state == Job.State.FAILED:
        return {
            "sentence": _(
                "This section could not be rated. The office is working on it."
            ),
            "fault": job.message,
            "poll": False,
        }
    if job.state == Job.State.RUNNING:
        sentence = _(
            "This section is being rated. Ratings will appear here in a moment."
        )
        return {"sentence": sentence, "percent": job.percent or None, "poll": True}
    sentence = _("This section will be rated soon, usually within a few seconds.")
    return {"sentence": sentence, "percent": 0, "poll": True}
