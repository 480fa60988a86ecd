"""One search for players, events, clubs, towns and IDs."""

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from ratings.engine.systems import System
from ratings.home.queries.search import (
    CLUBS,
    DEFAULT_LIMIT,
    EVENTS,
    KINDS,
    MAX_IDS,
    MAX_LIMIT,
    MAX_SUGGESTIONS,
    MAX_TEXT_LENGTH,
    PLAYERS,
    look_up_ids,
    normalize_text,
    parse_ids,
)
from ratings.home.queries.search import search as find
from ratings.lists.files import HEADINGS
from ratings_site.common.ui.formatting import format_rating
from ratings_site.common.web.files import csv_attachment, escape_formula

KIND_WORDS = {PLAYERS: _("Player"), EVENTS: _("Event"), CLUBS: _("Club")}
KIND_CODES = {PLAYERS: "player", EVENTS: "event", CLUBS: "club"}
# The ratings of the table; the file has all six.
SYSTEMS = (System.OTBR, System.OTBQ, System.OTBB)


@require_safe
def search(request: HttpRequest) -> HttpResponseBase:
    """Show the search results; redirect to the only match.

    Several IDs are shown as a table, which includes the unknown ones.
    """
    text = request.GET.get("q", "")[:MAX_TEXT_LENGTH]
    if ids := parse_ids(text):
        return _id_table(request, ids)
    kind = request.GET.get("kind", "")
    kind = kind if kind in KINDS else ""
    found = find(text, kind=kind, most=MAX_LIMIT if kind else DEFAULT_LIMIT)
    if not kind and (only := found.only_match):
        return redirect(only)
    context = {"text": normalize_text(text), "found": found, "kind": kind}
    return render(request, "ratings/search/search.html", context)


@require_safe
def suggest(request: HttpRequest) -> HttpResponse:
    """List the best matches below a search box while the user types."""
    text = request.GET.get("q", "")[:MAX_TEXT_LENGTH]
    ids = parse_ids(text)
    context = {
        "text": normalize_text(text),
        "found": None if ids else find(text, most=MAX_SUGGESTIONS),
        "number_of_ids": min(len(ids), MAX_IDS),
    }
    return render(request, "ratings/search/suggestions.html", context)


def _id_table(request: HttpRequest, ids: list[str]) -> HttpResponse:
    found = look_up_ids(ids)
    context = {
        "text": ", ".join(ids),
        "found": found,
        "rows": [
            (row, KIND_WORDS[row.kind], [row.ratings.get(one) for one in SYSTEMS])
            for row in found.rows
        ],
        "systems": [one.label for one in SYSTEMS],
        "most_ids": MAX_IDS,
    }
    return render(request, "ratings/search/ids.html", context)


@require_safe
def search_file(request: HttpRequest) -> HttpResponse:
    """Send the table of several IDs as CSV, with a line for unknown ones too."""
    text = request.GET.get("q", "")[:MAX_TEXT_LENGTH]
    found = look_up_ids(parse_ids(text) or normalize_text(text).upper().split())
    rows: list[list[object]] = [
        ["asked", "kind", "id", "name", "state", "fide_id", *HEADINGS.values(), "note"]
    ]
    for row in found.rows:
        ratings = [row.ratings.get(system) for system in HEADINGS]
        rows.append(
            [
                *(row.asked, KIND_CODES[row.kind], row.number),
                *(escape_formula(row.name), row.state, row.fide_id),
                *("" if one is None else format_rating(one) for one in ratings),
                row.details,
            ]
        )
    empty = [""] * (len(HEADINGS) + 5)
    rows += [[escape_formula(one), *empty, _("not found")] for one in found.unknown]
    rows += [[escape_formula(one), *empty, _("not searched")] for one in found.left_out]
    return csv_attachment(rows, "ids.csv")
