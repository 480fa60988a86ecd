"""What the page and the CSV file of the roster check show."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from events.formats.report import ReportedEvent
from events.formats.rosters import RosterRow
from ratings.engine.systems import System
from ratings.lists.files import HEADINGS
from ratings.pages.roster.forms import AS_SENT, BY_NAME
from ratings.pages.roster.queries import (
    Difference,
    MembershipStatus,
    RosterLine,
    RowStatus,
)
from ratings_site.common.ui.formatting import format_day, format_rating
from ratings_site.common.web.files import escape_cell

SYSTEMS = (System.OTBR, System.OTBQ, System.OTBB)
# The icons of statuses; the others are warnings.
LEVELS = {
    RowStatus.MATCH: "good",
    RowStatus.NOT_FOUND: "error",
    RowStatus.INVALID: "error",
}


@dataclass(frozen=True, slots=True)
class PageLine:
    """A line of the result, in words."""

    line: RosterLine
    level: str
    differs: str
    membership: str
    candidates: list[tuple[object, str]]
    ratings: list[tuple[str, float | None, float | None]]


def page_lines(lines: Sequence[RosterLine], order: str) -> list[PageLine]:
    """Return the lines as the page shows them, in the chosen order."""
    return [_page_line(line) for line in _sorted(lines, order)]


def _sorted(lines: Sequence[RosterLine], order: str) -> Sequence[RosterLine]:
    if order == AS_SENT:
        return lines
    if order == BY_NAME:
        return sorted(lines, key=_name)
    return sorted(lines, key=lambda line: (not line.has_problem, _severity(line)))


def _name(line: RosterLine) -> str:
    player = line.player
    if player is None or player.is_name_hidden:  # the place would tell the name
        return line.row.name.casefold()
    return player.search_name


def _severity(line: RosterLine) -> int:
    return -list(RowStatus).index(line.status)


def _page_line(line: RosterLine) -> PageLine:
    facts = line.facts
    return PageLine(
        line=line,
        level=LEVELS.get(line.status, "warning"),
        differs=_in_words(line.differs),
        membership=membership_text(line),
        candidates=[(one.player, _in_words(one.differs)) for one in line.candidates],
        ratings=[
            (system.label, facts.official.get(system), facts.current.get(system))
            for system in SYSTEMS
            if system in facts.official or system in facts.current
        ]
        if facts
        else [],
    )


def _in_words(differences: Iterable[Difference]) -> str:
    return ", ".join(str(one.label) for one in differences)


def membership_text(line: RosterLine) -> str:
    """Return the membership on the event day in words, "" without a member."""
    facts = line.facts
    if facts is None:
        return ""
    if facts.membership == MembershipStatus.DECEASED:
        return _("Deceased")
    if facts.membership == MembershipStatus.NOT_CURRENT:
        return _("Not a current member")
    if facts.membership == MembershipStatus.LIFE and facts.is_member:
        return _("Life member")
    ends = facts.membership_ends
    if facts.is_member:
        return _("Member until {last}").format(last=format_day(ends)) if ends else ""
    if ends is None or ends >= line.day:
        return _("Not a member on {day}").format(day=format_day(line.day))
    return _("Membership ended {last}").format(last=format_day(ends))


def report_rows(reported: ReportedEvent) -> list[RosterRow]:
    """Return each player of a report once, on the last day of the first section."""
    found: dict[tuple[str, str], RosterRow] = {}
    for section in reported.sections:
        _starts, ends = reported.dates_of(section)
        for entry in section.entries:
            row = RosterRow(
                len(found) + 1,
                entry.member_id if entry.member_id.strip("0") else "",
                entry.name,
                ends.isoformat() if ends else "",
                entry.state,
            )
            found.setdefault((row.member_id, row.name), row)
    return list(found.values())


def csv_rows(lines: Iterable[RosterLine]) -> Iterator[list[object]]:
    """Yield the rows of the file, with codes as in the API."""
    ratings = [
        f"{when}_{name}"
        for when in ("official", "current")
        for name in HEADINGS.values()
    ]
    yield [
        *("row", "sent_id", "sent_name", "day", "status", "differs"),
        *("member_id", "name", "state", "is_member", "membership", "membership_ends"),
        *ratings,
        *("fide_title", "life_master", "td_level", "certified_until"),
        *("candidates", "error"),
    ]
    for line in lines:
        yield list(map(escape_cell, _cells(line)))


def _cells(line: RosterLine) -> list[object]:
    row, player, facts = line.row, line.player, line.facts
    sent = [row.number, row.member_id, row.name, line.day.isoformat()]
    cells: list[object] = [*sent, line.status.value, " ".join(line.differs)]
    if player is None or facts is None:
        cells += [""] * (6 + 2 * len(HEADINGS) + 4)
    else:
        ends, td = facts.membership_ends, facts.td
        cells += [player.member_id, player.name, player.state]
        cells += ["Y" if facts.is_member else "N", facts.membership.value]
        cells.append(ends.isoformat() if ends else "")
        for ratings in (facts.official, facts.current):
            for system in HEADINGS:
                rating = ratings.get(system)
                cells.append("" if rating is None else format_rating(rating))
        cells += [facts.fide_title, "Y" if facts.is_life_master else ""]
        cells += [td.level, td.certified_until.isoformat()] if td else ["", ""]
    candidates = " ".join(one.player.member_id for one in line.candidates)
    return [*cells, candidates, line.sentence]
