"""The laboratory's public pages: systems, calculators, and our ratings in them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.forms import Form
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from players.access import get_member_or_404
from players.members.queries import same_person_ids
from ratings.engine import systems as ours
from ratings.engine.norms import FIDE_NORM_GAMES
from ratings.engine.rule_history import NoRuleInForce
from ratings.laboratory.protocol import System
from ratings.laboratory.registry import SYSTEMS
from ratings.laboratory.scales import CCLA_TITLES, CCLA_YEARS_FOR_TITLE, fide_category
from ratings.models import PlayerRating
from ratings.pages.crosstable.queries.crosstable import Crosstable, crosstable_of
from ratings.research.systems.forms import Calculator, CategoryForm, ConversionForm
from ratings.research.systems.queries.calculations import worked_example
from ratings.research.systems.queries.career import (
    MAX_SYSTEMS,
    career_families,
    career_of,
    played_sections,
)
from ratings.research.systems.queries.catalog import (
    GAMES_PER_EVENT,
    CatalogEntry,
    all_families,
    expectations,
    family_of,
    is_runnable,
    label,
    runnable_systems,
    template_of,
)
from ratings.research.systems.queries.chronology import CHRONOLOGY
from ratings.research.systems.queries.norms import denial_reason, norms_of, titles
from ratings.research.systems.queries.scales import (
    COMPARED_SCALES,
    FIDE,
    SCALE_CHOICES,
    US,
    classes_of,
    conversions_of,
    formulas,
    scale_table,
)
from ratings.research.systems.queries.section import (
    compare,
    minutes_of,
    section_minutes,
    section_of,
)
from ratings.research.systems.rows import comparison_rows

# The systems of a career if the URL names none.
DEFAULT_SYSTEMS = ("fide.standard", "glicko", "elo.table")
MAX_KEY_LENGTH = 40


@require_safe
def index(request: HttpRequest) -> HttpResponse:
    return render(
        request, "ratings/laboratory/index.html", {"families": all_families()}
    )


@require_safe
def how_ratings_work(request: HttpRequest) -> HttpResponse:
    context = {"expectations": expectations()}
    return render(request, "ratings/laboratory/how_ratings_work.html", context)


@require_safe
def chronology(request: HttpRequest) -> HttpResponse:
    context = {"entries": CHRONOLOGY}
    return render(request, "ratings/laboratory/chronology.html", context)


@require_safe
def system(request: HttpRequest, key: str) -> HttpResponse:
    """One system: its description, worked example and calculator."""
    found = SYSTEMS.get(key)
    if found is None:
        raise Http404(
            _("We can’t find this rating system. Look for it in the list of systems.")
        )
    calculator = Calculator(found, request.GET) if is_runnable(found) else None
    context = {
        "entry": CatalogEntry(found),
        "system": found,
        "family": family_of(found),
        "article": template_of(key),
        "example": worked_example(found, day=timezone.localdate().toordinal()),
        "calculator": calculator,
    }
    status = 422 if calculator and calculator.is_faulty else 200
    return render(request, "ratings/laboratory/system.html", context, status=status)


@require_safe
def scales(request: HttpRequest) -> HttpResponse:
    """Class scales side by side, and two small forms, each sent by its own fields."""
    conversion = _bound_if_sent(ConversionForm, request, "figure")
    category = _bound_if_sent(CategoryForm, request, "average")
    faulty = False
    context: dict[str, Any] = {
        "conversion": conversion,
        "category": category,
        "scales": [gettext(one.label) for one in COMPARED_SCALES],
        "rows": scale_table(),
        "titles": CCLA_TITLES.bands,
        "years_for_title": CCLA_YEARS_FOR_TITLE,
        "categories": _categories(),
        "formulas": formulas(),
    }
    if conversion.is_bound:
        faulty = not conversion.is_valid()
        if not faulty:
            context |= _converted(**conversion.cleaned_data)
    if category.is_bound:
        faulty = faulty or not category.is_valid()
        if category.is_valid():
            said = category.cleaned_data
            context["found"] = fide_category(said["average"], women=said["women"])
    status = 422 if faulty else 200
    return render(request, "ratings/laboratory/scales.html", context, status=status)


def _bound_if_sent(form: type[Form], request: HttpRequest, name: str) -> Form:
    return form(request.GET if name in request.GET else None)


def _converted(*, figure: float, scale: str) -> dict[str, Any]:
    is_rating = scale in (FIDE, US)
    return {
        "figure": figure,
        "scale": dict(SCALE_CHOICES)[scale],
        "converted": conversions_of(figure, scale, day=timezone.localdate()),
        "classes": classes_of(figure) if is_rating else [],
    }


def _categories() -> list[dict[str, int]]:
    """Return FIDE's categories with their lowest and highest averages."""
    return [
        {
            "number": number,
            "lowest": 2226 + 25 * number,
            "highest": 2250 + 25 * number,
            "lowest_women": 2026 + 25 * number,
            "highest_women": 2050 + 25 * number,
        }
        for number in range(1, 24)
    ]


# --- Our ratings in other systems ---


@require_safe
def section(request: HttpRequest, event_id: str, number: int) -> HttpResponse:
    """A rated section under every system, or in detail under one."""
    table = _table_or_404(event_id, number)
    context: dict[str, Any] = {
        "table": table,
        "section": table.section,
        "event": table.section.event,
    }
    if table.is_rated and table.systems:
        context |= _section_under(request, table)
    return render(request, "ratings/laboratory/section.html", context)


@require_safe
def norms(request: HttpRequest, event_id: str, number: int) -> HttpResponse:
    """The norms of a FIDE title in a section, as far as our data show."""
    table = _table_or_404(event_id, number)
    title = request.GET.get("title", "") or titles()[0]
    faults = []
    if title not in titles():
        words = _("There is no “{title}” norm. This page shows {first} norms.")
        faults.append(words.format(title=title[:40], first=titles()[0]))
        title = titles()[0]
    context: dict[str, Any] = {
        "table": table,
        "section": table.section,
        "event": table.section.event,
        "obstacle": denial_reason(table),
        "is_longer": section_minutes(table.section)
        != minutes_of(table.section.time_control),
        "titles": titles(),
        "title": title,
        "faults": faults,
        "least_games": FIDE_NORM_GAMES,
    }
    if not context["obstacle"]:
        try:
            context["norms"] = norms_of(table, title)
        except NoRuleInForce:
            context["obstacle"] = "day"
    return render(request, "ratings/laboratory/norms.html", context)


def _table_or_404(event_id: str, number: int) -> Crosstable:
    table = crosstable_of(event_id, number)
    if table is None:
        raise Http404(
            _("We can’t find this section. Look for the event in the list of events.")
        )
    return table


def _section_under(request: HttpRequest, table: Any) -> dict[str, Any]:
    systems = runnable_systems()
    asked, faults = _selected_systems(request, systems)
    chosen = asked[0] if asked else None
    comparison = compare(section_of(table), [chosen] if chosen else systems)
    return {
        "comparison": comparison,
        "systems": systems,
        "chosen": chosen,
        "lines": [
            cell for column in comparison.columns if chosen for cell in column.cells
        ],
        "rows": "" if chosen else comparison_rows(comparison),
        "faults": faults,
        "games_an_event": GAMES_PER_EVENT,
    }


@require_safe
def career(request: HttpRequest, member_id: str) -> HttpResponse:
    """A member's career in up to three systems."""
    player = get_member_or_404(member_id)
    if player.member_id != member_id:
        return redirect("ratings:laboratory_career", player.member_id)
    our_systems = _member_systems(player.pk)
    our_system, our_faults = _selected_our_system(request, our_systems)
    families = career_families()
    systems = [entry.system for family in families for entry in family.entries]
    chosen, faults = _selected_systems(request, systems)
    if len(chosen) > MAX_SYSTEMS:
        words = _("A chart can show up to {most} systems. It shows your first {most}.")
        faults.append(words.format(most=MAX_SYSTEMS))
        chosen = chosen[:MAX_SYSTEMS]
    if not chosen:
        chosen = _default_systems(systems)
    shown = None
    if our_system is not None:
        numbers = same_person_ids([player.pk])[player.pk]
        names = ", ".join(map(label, chosen))
        title = _("Rating history of {name}: {systems}").format(
            name=player.name, systems=names
        )
        shown = career_of(
            played_sections(numbers, our_system),
            chosen,
            title=title,
            our_system=our_system,
        )
    context = {
        "player": player,
        "our_systems": our_systems,
        "our_system": our_system,
        "families": families,
        "chosen": [one.about.key for one in chosen],
        "career": shown,
        "faults": [*our_faults, *faults],
        "most_systems": MAX_SYSTEMS,
        "games_an_event": GAMES_PER_EVENT,
    }
    return render(request, "ratings/laboratory/career.html", context)


def _member_systems(player_pk: int) -> list[ours.System]:
    """Return in which of our six systems a member is rated, in their order."""
    rated = set(
        PlayerRating.objects.filter(player=player_pk).values_list("system", flat=True)
    )
    return [one for one in ours.System if one.value in rated]


def _selected_our_system(
    request: HttpRequest, our_systems: Sequence[ours.System]
) -> tuple[ours.System | None, list[str]]:
    asked = request.GET.get("of", "")
    for our_system in our_systems:
        if asked == our_system.value:
            return our_system, []
    faults = []
    if asked and our_systems:
        words = _("There are no “{name}” ratings. This page shows {shown} ratings.")
        shown = gettext(our_systems[0].label)
        faults.append(words.format(name=asked[:MAX_KEY_LENGTH], shown=shown))
    return (our_systems[0] if our_systems else None), faults


def _selected_systems(
    request: HttpRequest, systems: Sequence[System]
) -> tuple[list[System], list[str]]:
    """Return the systems in the URL, and a message for each unknown one."""
    by_key = {one.about.key: one for one in systems}
    chosen: list[System] = []
    faults: list[str] = []
    for key in dict.fromkeys(filter(None, request.GET.getlist("system"))):
        if key in by_key:
            chosen.append(by_key[key])
        elif len(faults) < MAX_SYSTEMS:
            faults.append(_unknown_system_message(key))
    return chosen, faults


def _unknown_system_message(key: str) -> str:
    known = SYSTEMS.get(key)
    if known is None:
        words = _("There is no rating system “{name}”. Choose one from the list.")
        return words.format(name=key[:MAX_KEY_LENGTH])
    if not is_runnable(known):
        words = _("The formula of {name} isn’t published, so it can’t be calculated.")
    else:
        words = _(
            "{name} rates all players at once, so it can’t follow a single player."
        )
    return words.format(name=label(known))


def _default_systems(systems: Sequence[System]) -> list[System]:
    usual = [one for one in systems if one.about.key in DEFAULT_SYSTEMS]
    return usual or list(systems[:MAX_SYSTEMS])
