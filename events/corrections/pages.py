"""What the pages of corrections show, joined from documents: plain records."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from django.utils.translation import gettext as _

from events.importers.played import HALF_POINTS
from events.models import CorrectionRequest, UnplayedRound
from events.models.documents import NO_GAME, EntryLine, RoundCell, SectionDocument
from players.models import Player
from ratings_site.common.looks.figures import half_points

CHIPS = {
    "asked": "open",
    "confirmed": "submitted",
    "objected": "warning",
    "approved": "accepted",
    "refused": "returned",
    "withdrawn": "waiting",
}


@dataclass(frozen=True, slots=True)
class PlainCell:
    """A cell of a crosstable without links."""

    round_number: int
    text: str
    kind: str
    color: str
    is_changed: bool = False


@dataclass(frozen=True, slots=True)
class PlainRow:
    number: int
    member_id: str
    name: str
    total: str
    cells: tuple[PlainCell, ...]
    is_other_member: bool = False


def names_in(*documents: SectionDocument) -> dict[int, str]:
    """Return the names of all members in these documents, by primary key."""
    players = {entry.player for document in documents for entry in document.entries}
    return {
        player.pk: player.name
        for player in Player.objects.filter(pk__in=players).only(
            "given_name", "family_name", "suffix"
        )
    }


def plain_rows(
    document: SectionDocument,
    names: dict[int, str],
    *,
    only: Collection[int] | None = None,
) -> list[PlainRow]:
    """Return the rows by pairing number."""
    return [
        _row(document, names, number, document)
        for number in (entry.number for entry in document.entries)
        if only is None or number in only
    ]


def _row(
    document: SectionDocument,
    names: dict[int, str],
    number: int,
    other: SectionDocument,
) -> PlainRow:
    """Return a row with what differs from another version; nobody if it has none."""
    entry = document.entry(number) or EntryLine(number, "", 0, "nobody")
    theirs = other.entry(number)
    rounds = range(1, max(document.rounds, other.rounds) + 1)
    cells = {r: document.cell(number, r) for r in rounds}
    points = [_points(cell, document) for cell in cells.values()]
    return PlainRow(
        number=number,
        member_id=entry.member_id,
        name=names.get(entry.player, entry.name),
        total=half_points(sum(points)),
        cells=tuple(
            PlainCell(
                r, *_short(cell), cell.color, is_changed=cell != other.cell(number, r)
            )
            for r, cell in cells.items()
        ),
        is_other_member=theirs is None or theirs.player != entry.player,
    )


def _points(cell: RoundCell, document: SectionDocument) -> int:
    if cell.unplayed:
        legs = 2 if document.is_double else 1
        return UnplayedRound.HALF_POINTS[cell.unplayed] * legs
    return sum(HALF_POINTS[outcome] for outcome in cell.outcomes)


def _short(cell: RoundCell) -> tuple[str, str]:
    """Return a cell's text without the color, and the class it is drawn in."""
    if cell == NO_GAME:
        return "–", "none"
    opponent = f" {cell.opponent}" if cell.opponent else ""
    if cell.unplayed:
        texts = {
            "B": _("bye 1"),
            "H": "½ bye",
            "X": _("forfeit 1"),
            "F": _("forfeit 0"),
        }
        return texts.get(cell.unplayed, "forfeit 0") + opponent, "none"
    games, points = len(cell.outcomes), sum(HALF_POINTS[o] for o in cell.outcomes)
    kind = "draw" if points == games else "win" if points > games else "lost"
    star = "" if cell.is_mirrored else "*"
    return f"{cell.outcomes}{star}{opponent}", kind


@dataclass(frozen=True, slots=True)
class Compared:
    """One pairing number before and after a correction."""

    before: PlainRow
    after: PlainRow


def compared_rows(before: SectionDocument, after: SectionDocument) -> list[Compared]:
    """Return the rows that differ, each as it is and as it would be."""
    touched = sorted(set(_touched(before, after)))
    if not touched:
        return []
    names = names_in(before, after)
    return [
        Compared(_row(before, names, number, after), _row(after, names, number, before))
        for number in touched
    ]


def _touched(before: SectionDocument, after: SectionDocument) -> Iterator[int]:
    for place in before.cells.keys() | after.cells.keys():
        if before.cells.get(place) != after.cells.get(place):
            yield place[1]
    for entry in after.entries:
        if before.entry(entry.number) != entry:
            yield entry.number


def chip_of(request: CorrectionRequest) -> str:
    return CHIPS[request.state]
