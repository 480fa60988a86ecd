"""The tables of a preview: what each section would do to ratings, joined here."""

from collections.abc import Iterable
from dataclasses import dataclass
from html import escape

from django.utils.safestring import SafeString

from events.importers.records import EntryReport, EventReport, SectionReport
from events.queries import members_of
from players.models import Player
from ratings.engine.systems import System
from ratings.services.previews import PreviewLine, SectionPreview, preview_section
from ratings_site.common.figures import signed, whole


@dataclass(frozen=True, slots=True)
class PreviewTable:
    """One section: its table, or the sentence that says why there is none."""

    section: SectionReport
    systems: str
    table: SafeString
    problem: str


def preview_tables(
    report: EventReport, *, shows_first_ratings: bool
) -> list[PreviewTable]:
    """Return a table for each section.

    A first rating can give away the age it starts from, and anybody may make up a
    report; so before the event is accepted only the office sees first ratings.
    """
    members = members_of(report)
    previews = (
        preview_section(report, section, members) for section in report.sections
    )
    return [
        _table(section, preview, members, shows_first_ratings)
        for section, preview in zip(report.sections, previews, strict=True)
    ]


def _table(
    section: SectionReport,
    preview: SectionPreview,
    members: dict[str, Player],
    shows_first_ratings: bool,
) -> PreviewTable:
    systems = list(dict.fromkeys(line.system for line in preview.lines))
    names = " and ".join(system.label for system in systems)
    lines = {
        (line.pairing_number, line.system): _Shown.of(line, shows_first_ratings)
        for line in preview.lines
    }
    html = SafeString(
        f'<table class="table cardlike"><thead><tr>{_head(systems)}</tr></thead>'
        f"<tbody>{''.join(_row(e, systems, lines, members) for e in section.entries)}"
        "</tbody></table>"
    )
    return PreviewTable(section, names, html, preview.problem)


def _head(systems: Iterable[System]) -> str:
    head = (
        '<th scope="col" class="num">No.</th><th scope="col" class="name">Player</th>'
    )
    for system in systems:
        head += (
            f'<th scope="col" class="num">{system.label}</th>'
            '<th scope="col" class="num">Expected</th>'
            '<th scope="col" class="num">Change</th>'
        )
    return head


def _row(
    entry: EntryReport,
    systems: Iterable[System],
    lines: "dict[tuple[int, System], _Shown]",
    members: dict[str, Player],
) -> str:
    member = members.get(entry.member_id)
    name = member.name if member else entry.name or "Unknown"
    known = entry.member_id if member else "not known by ID"
    cells = "".join(
        _cells(system, lines.get((entry.pairing_number, system), _Shown()))
        for system in systems
    )
    return (
        f'<tr><td class="num" data-label="No.">{entry.pairing_number}</td>'
        f'<th scope="row" class="name">{escape(name)} '
        f'<span class="quiet small">{escape(known)}</span></th>{cells}</tr>'
    )


@dataclass(frozen=True, slots=True)
class _Shown:
    """One player in one system, in words and whole numbers."""

    before: str = "unrated"
    after: str = "no game"
    change: str = ""

    @classmethod
    def of(cls, line: PreviewLine, shows_first_ratings: bool) -> "_Shown":
        pre, post = line.pre, line.post
        before = "unrated" if pre is None else str(whole(pre))
        if post is None:
            return cls(before)
        if pre is None:
            return cls(
                after=str(whole(post)) if shows_first_ratings else "first rating"
            )
        return cls(before, str(whole(post)), _change(whole(post) - whole(pre)))


def _change(points: int) -> str:
    kind = "gain" if points > 0 else "loss-of-points" if points < 0 else "quiet"
    return f'<span class="{kind}">{signed(points)}</span>'


def _cells(system: System, shown: _Shown) -> str:
    return (
        f'<td class="num" data-label="{system.label}">{shown.before}</td>'
        f'<td class="num" data-label="Expected">{shown.after}</td>'
        f'<td class="num" data-label="Change">{shown.change}</td>'
    )
