"""The rows of a crosstable as HTML, joined here because templates are too slow.

Everything that somebody typed goes through ``escape``; the rest are numbers and our
own words. The markup is described in docs/design.md.
"""

from collections.abc import Iterator
from html import escape
from itertools import groupby

from django.urls import reverse
from django.utils.safestring import SafeString, mark_safe

from ratings.queries.crosstable import (
    Cell,
    Change,
    Crosstable,
    Published,
    Row,
    Side,
    Unplayed,
)
from ratings_site.common.figures import decimal_rating, half_points, signed, whole

# Headings for the score groups help where a group does not fit on the screen.
GROUPED_FROM = 20
NOT_PLAYED = '<td class="round"><span class="none">–</span></td>'
UNPLAYED_WORDS = {
    "B": "Full-point bye",
    "H": "Half-point bye",
    "X": "Won by forfeit",
    "F": "Lost by forfeit",
    "Z": "Double forfeit",
}


def crosstable_rows(
    table: Crosstable, *, decimals: bool, established_after: int, member_id: str = ""
) -> SafeString:
    """Return the bodies of the table, one for each score group.

    The row of *member_id*, the reader himself, is marked.
    """
    writer = _Writer(table, decimals, established_after, member_id)
    return mark_safe("".join(writer.bodies()))  # noqa: S308 - escaped piece by piece


class _Writer:
    def __init__(
        self,
        table: Crosstable,
        decimals: bool,
        established_after: int,
        member_id: str,
    ) -> None:
        self.table = table
        self.figure = decimal_rating if decimals else whole
        self.established_after = established_after
        self.member_id = member_id
        self.rounds = range(1, table.rounds + 1)
        self.profiles = reverse("ratings:profile", args=["0"]).removesuffix("0/")
        self.has_published = has_published(table)
        self.is_dual = len(table.systems) > 1
        self.cells: dict[Cell, str] = {}

    def bodies(self) -> Iterator[str]:
        headed = len(self.table.rows) >= GROUPED_FROM
        for points, rows in groupby(self.table.rows, lambda row: row.half_points):
            yield "<tbody>"
            if headed:
                yield self._group(points)
            for row in rows:
                yield from self._row(row)
            yield "</tbody>"

    def _group(self, points: int) -> str:
        unit = "point" if points in (1, 2) else "points"
        columns = 3 + self._rating_columns() + len(self.rounds)
        return (
            f'<tr class="group"><th colspan="{columns}" scope="rowgroup">'
            f"{half_points(points)} {unit}</th></tr>"
        )

    def _rating_columns(self) -> int:
        systems = len(self.table.systems)
        return systems if self.is_dual else systems * (3 + self.has_published)

    def _row(self, row: Row) -> Iterator[str]:
        number = row.number
        mine = ' class="mine"' if row.member_id == self.member_id else ""
        yield f'<tr id="p{number}"{mine}><td class="num number">'
        yield f'<a href="#p{number}">{number}</a></td><th scope="row" class="name">'
        yield f'<a href="{self.profiles}{row.member_id}/">{escape(row.name)}</a>'
        for other in row.other_numbers:
            yield f' <a class="small" href="#p{other}">also no. {other}</a>'
        yield "</th>"
        yield from self._ratings(row)
        yield f'<td class="num total">{half_points(row.half_points)}</td>'
        for round_number in self.rounds:
            cells = row.cells.get(round_number)
            yield NOT_PLAYED if cells is None else self._round(cells)
        yield "</tr>"

    def _ratings(self, row: Row) -> Iterator[str]:
        if self.table.systems and not any(row.changes):
            columns = self._rating_columns()
            yield f'<td class="rating quiet" colspan="{columns}">no rated game</td>'
            return
        for system, change, published in zip(
            self.table.systems, row.changes, row.published, strict=True
        ):
            if change is None:
                continue
            pre = self._pre(change)
            post = self._post(change, f"why/{row.member_id}/{system}/")
            other = _published(published, change)
            if self.is_dual:  # one cell for each system, which stays together
                yield (
                    f'<td class="num rating"><span class="quiet">{system.short}</span> '
                    f'{pre} <span class="quiet">→</span> {post} {other}</td>'
                )
                continue
            yield f'<td class="num rating">{pre}</td>'
            yield f'<td class="num rating post">{post}</td>'
            yield f'<td class="num rating change">{_gain(change)}</td>'
            if self.has_published:
                yield f'<td class="num rating change">{other}</td>'

    def _pre(self, change: Change) -> str:
        if change.pre is None:
            return "unrated"
        marks = self._provisional(change.pre_games)
        return f"{self.figure(change.pre)}{_marks(marks)}"

    def _post(self, change: Change, why: str) -> str:
        marks = self._provisional(change.post_games)
        if change.bonus:
            points = decimal_rating(change.bonus)
            marks.append(("b", f"with a bonus of {points} points"))
        if change.floor is not None:
            marks.append(("f", f"held by the floor of {whole(change.floor)}"))
        if change.ceiling is not None:
            marks.append(("c", f"held by the ceiling of {whole(change.ceiling)}"))
        return f'<a href="{why}">{self.figure(change.post)}</a>{_marks(marks)}'

    def _provisional(self, games: int) -> list[tuple[str, str]]:
        if games > self.established_after:
            return []
        unit = "game" if games == 1 else "games"
        return [(f"P{games}", f"provisional, {games} {unit}")]

    def _round(self, cells: list[Cell]) -> str:
        if len(cells) > 1:
            inner = "".join(_cell(cell) for cell in cells)
            return f'<td class="round">{inner}</td>'
        cell = cells[0]
        if cell not in self.cells:
            self.cells[cell] = f'<td class="round">{_cell(cell)}</td>'
        return self.cells[cell]


def _cell(cell: Cell) -> str:
    if isinstance(cell, Unplayed):
        return _unplayed(cell)
    games = len(cell.outcomes)
    kind = "draw" if cell.half_points == games else "win"
    if cell.half_points < games:
        kind = "lost"
    star = "*" if cell.differs else ""
    disc = {"W": ' <b class="w">○</b>', "B": ' <b class="b">●</b>', "": ""}[cell.colour]
    return (
        f'<a class="{kind}" href="#p{cell.opponent}">'
        f"{cell.outcomes}{star} {cell.opponent}{disc}</a>"
    )


def _unplayed(cell: Unplayed) -> str:
    points = half_points(cell.half_points)
    words = UNPLAYED_WORDS[cell.kind]
    if cell.kind in "BH":
        text = f"bye {points}" if cell.kind == "B" else f"{points} bye"
    else:
        text = f"forfeit {points}"
    if cell.opponent is None:
        return f'<span class="none" title="{words}">{text}</span>'
    return (
        f'<a class="none" href="#p{cell.opponent}" '
        f'title="{words}, opponent no. {cell.opponent}">{text}</a>'
    )


def _gain(change: Change) -> str:
    """The change between the whole numbers that people see, or nothing."""
    if change.pre is None:
        return ""
    return signed(whole(change.post) - whole(change.pre))


def _marks(marks: list[tuple[str, str]]) -> str:
    if not marks:
        return ""
    letters = " ".join(letter for letter, _ in marks)
    words = ", ".join(word for _, word in marks).capitalize()
    return f'<sup class="mark" title="{words}">{letters}</sup>'


def has_published(table: Crosstable) -> bool:
    return any(book is not None for row in table.rows for book in row.published)


def agreement(table: Crosstable) -> tuple[int, int, str]:
    """Return how many published numbers agree with ours, of how many, and of whom."""
    pairs = [
        (book, change)
        for row in table.rows
        for book, change in zip(row.published, row.changes, strict=True)
        if book is not None and change is not None
    ]
    same = sum(not differs(book, change) for book, change in pairs)
    return same, len(pairs), ", ".join(sorted({book.source for book, _ in pairs}))


def legend(table: Crosstable, *, established_after: int) -> list[tuple[str, str]]:
    """Return the marks that the table uses, each with its meaning."""
    changes = [change for row in table.rows for change in row.changes if change]
    sides = [
        cell
        for row in table.rows
        for cells in row.cells.values()
        for cell in cells
        if isinstance(cell, Side)
    ]
    marks = (
        (
            "P12",
            "a provisional rating, here on 12 games",
            any(
                change.post_games <= established_after
                or 0 < change.pre_games <= established_after
                for change in changes
            ),
        ),
        ("b", "with a bonus", any(change.bonus for change in changes)),
        ("f", "held by a floor", any(c.floor is not None for c in changes)),
        ("c", "held by a ceiling", any(c.ceiling is not None for c in changes)),
        ("*", "scored for one side only", any(side.differs for side in sides)),
        ("≠", "published otherwise elsewhere", has_published(table)),
    )
    return [(mark, meaning) for mark, meaning, used in marks if used]


def differs(published: Published, change: Change) -> bool:
    """Tell whether another book prints another number, at its own precision."""
    scale = 10**published.decimals
    return whole(change.post * scale) != whole(published.rating * scale)


def _published(published: Published | None, change: Change) -> str:
    if published is None or not differs(published, change):
        return ""
    number = f"{published.rating:.{published.decimals}f}"
    source = escape(published.source)
    return f'<span title="Published by {source}">≠ {number}</span>'
