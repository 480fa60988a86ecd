"""The tables of a report's rating preview, built in Python."""

from collections.abc import Iterable
from html import escape
from typing import Any

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from events.checks.messages import translated
from events.checks.queries.members import members_of
from events.checks.queries.newcomers import newcomers_of
from events.formats.report import ReportedEntry, ReportedSection, is_temporary_id
from events.formats.results_entry import missing_results
from events.models import Submission
from events.reports.services.submissions import reported_in
from players.models import Player
from players.models.player import birth_date_for_rating
from ratings.engine.systems import System
from ratings.ledger.queries.published_ratings import published_change
from ratings.ledger.services.previews import (
    EntryPreview,
    SectionPreview,
    preview_report,
)
from ratings.previews.reports.queries.titles import previewed_norms
from ratings_site.common.ui.formatting import (
    ApproximateRating,
    format_rating,
    join_names,
    signed,
)

NEW_RATING = gettext_lazy("New rating")


def preview_page(submission: Submission) -> dict[str, Any]:
    """Return the norms, and a table of each section with ratings to be published.

    Without a table there is a *problem*, the reason.
    """
    reported = reported_in(submission)
    members = members_of(reported)
    births = {
        newcomer.number: born
        for newcomer in newcomers_of(submission).values()
        if (born := birth_date_for_rating(newcomer.birth_date, newcomer.birth_year))
    }
    previews = preview_report(reported, members, births)
    tables = [
        _table(section, preview, members)
        for section, preview in zip(reported.sections, previews, strict=True)
    ]
    return {"tables": tables, "norms": previewed_norms(reported, previews, members)}


def _table(
    section: ReportedSection, preview: SectionPreview, members: dict[str, Player]
) -> dict[str, Any]:
    systems = list(dict.fromkeys(line.system for line in preview.lines))
    names = join_names(_(system.label) for system in systems)
    lines = {(line.pairing_number, line.system): line for line in preview.lines}
    html = SafeString(
        f'<table class="table cardlike"><caption class="vh">{_("Rating preview")}'
        f"</caption><thead><tr>{_head(systems)}</tr></thead>"
        f"<tbody>{''.join(_row(e, systems, lines, members) for e in section.entries)}"
        "</tbody></table>"
    )
    numbers = [number for line in preview.lines for number in (line.pre, line.post)]
    return {
        "section": section,
        "systems": names,
        "table": html,
        "problem": translated(preview.problem),
        "missing": missing_results(section),
        "has_about": any(isinstance(one, ApproximateRating) for one in numbers),
    }


def _head(systems: Iterable[System]) -> str:
    head = (
        f'<th scope="col" class="num">{_("No.")}</th>'
        f'<th scope="col" class="name">{_("Player")}</th>'
    )
    for system in systems:
        head += (
            f'<th scope="col" class="num">{_(system.label)}</th>'
            f'<th scope="col" class="num">{NEW_RATING}</th>'
            f'<th scope="col" class="num">{_("Change")}</th>'
        )
    return head


def _row(
    entry: ReportedEntry,
    systems: Iterable[System],
    lines: dict[tuple[int, System], EntryPreview],
    members: dict[str, Player],
) -> str:
    member = members.get(entry.member_id)
    name = member.name if member else entry.name or _("No name")
    known = _("unknown ID")
    if member or is_temporary_id(entry.member_id):
        known = entry.member_id
    cells = "".join(
        _cells(system, lines.get((entry.pairing_number, system))) for system in systems
    )
    return (
        f'<tr><td class="num" data-label="{_("No.")}">{entry.pairing_number}</td>'
        f'<th scope="row" class="name">{escape(name)} '
        f'<span class="quiet small">{escape(known)}</span></th>{cells}</tr>'
    )


def _change(points: int) -> str:
    kind = "gain" if points > 0 else "loss-of-points" if points < 0 else "quiet"
    return f'<span class="{kind}">{signed(points)}</span>'


def _remark(text: str) -> str:
    return f'<br><span class="quiet small">{escape(text)}</span>'


def _cells(system: System, line: EntryPreview | None) -> str:
    """Return one player's published ratings in one system."""
    before, after, change = _("unrated"), _("no rated games"), ""
    if line is not None and line.pre is not None:
        before = format_rating(line.pre)
    if line is not None and line.post is not None:
        points = published_change(line.pre, line.post)
        after = format_rating(line.post)
        change = "" if points is None else _change(points)
        if line.floor is not None:
            floor = _("At the floor of {floor_used:.0f}")
            after += _remark(floor.format(floor_used=line.floor))
        if line.norm is not None:
            norm = _("{level} norm")
            after += _remark(norm.format(level=line.norm.level))
    return (
        f'<td class="num" data-label="{_(system.label)}">{before}</td>'
        f'<td class="num" data-label="{NEW_RATING}">{after}</td>'
        f'<td class="num" data-label="{_("Change")}">{change}</td>'
    )
