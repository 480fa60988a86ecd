"""The rows of a crosstable as HTML, built in Python because templates are too slow.

All user input goes through ``escape``; the rest are numbers and our own texts. The
markup is that of docs/design.md, as short as HTML allows: no optional end tags, no
quotes around single words, no class where the position in the row identifies a cell,
and the opponent's number early in a cell. With 300 players and 9 rounds this saves an
eighth of the response.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from itertools import groupby

from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from players.members.converters import member_url_prefix
from ratings.engine.systems import System
from ratings.pages.crosstable.queries.crosstable import (
    Cell,
    Change,
    Crosstable,
    CrosstableRow,
    Order,
    Published,
    Side,
    Unplayed,
)
from ratings_site.common.ui.formatting import (
    decimal_rating,
    format_rating,
    format_with_decimals,
    half_points,
    signed,
    whole,
)

# Headings for the score groups help where a group does not fit on the screen.
GROUPED_FROM = 20
# Rows shown on a phone until the user asks for all.
FIRST_ROWS = 40
NOT_PLAYED = "<td><span class=none>–</span>"
DISCS = {"W": " <b class=w>○</b>", "B": " <b class=b>●</b>", "": ""}
UNPLAYED_WORDS = {
    "B": gettext_lazy("Full-point bye"),
    "H": gettext_lazy("Half-point bye"),
    "X": gettext_lazy("Won by forfeit"),
    "F": gettext_lazy("Lost by forfeit"),
    "Z": gettext_lazy("Double forfeit"),
}


@dataclass(frozen=True, slots=True)
class Layout:
    """The display options of the table.

    A compact table has no ratings before, no colors, and no ratings of other sources.
    On a page of several sections, *anchor* begins the IDs of the rows and *base* the
    links to the section's other pages.
    """

    order: Order = Order.SCORE
    is_compact: bool = False
    anchor: str = "p"
    base: str = ""


def crosstable_rows(
    table: Crosstable,
    *,
    decimals: bool,
    established_after: int,
    layout: Layout,
    member_id: str = "",
) -> SafeString:
    """Return the bodies of the table: one for each score group, or only one.

    With *decimals*, ratings that the reader may see exactly have them. The row of
    *member_id*, the reader's own, is highlighted.
    """
    writer = _Writer(table, decimals, established_after, layout, member_id)
    return mark_safe("".join(writer.bodies()))  # noqa: S308 - escaped piece by piece


@dataclass
class _Writer:
    table: Crosstable
    decimals: bool
    established_after: int
    layout: Layout
    member_id: str

    def __post_init__(self) -> None:
        self.rounds = range(1, self.table.rounds + 1)
        self.profiles = member_url_prefix("ratings:profile")
        self.has_published = has_published(self.table) and not self.layout.is_compact
        self.is_dual = len(self.table.systems) > 1
        self.texts = _CellTexts(self.layout)
        self.places = self.table.places()

    def bodies(self) -> Iterator[str]:
        numbered = enumerate(self.table.rows)
        if self.layout.order is not Order.SCORE:
            yield "<tbody>"
            for index, row in numbered:
                yield from self._row(row, is_far=index >= FIRST_ROWS)
            return
        headed = is_long(self.table)
        for points, rows in groupby(numbered, lambda pair: pair[1].half_points):
            yield "<tbody>"
            for place, (index, row) in enumerate(rows):
                is_far = index >= FIRST_ROWS
                if headed and place == 0:
                    yield self._group(points, is_far=is_far)
                yield from self._row(row, is_far=is_far)

    def _group(self, points: int, *, is_far: bool) -> str:
        unit = "point" if points in (1, 2) else "points"
        columns = 4 + self._rating_columns() + len(self.rounds)
        kind = '"group far"' if is_far else "group"
        return (
            f"<tr class={kind}><th colspan={columns} scope=rowgroup>"
            f"{half_points(points)} {unit}"
        )

    def _rating_columns(self) -> int:
        if self.table.is_imported:
            return 1 + self.table.has_printed_after
        systems = len(self.table.systems)
        if self.is_dual:
            return systems
        return systems * (2 if self.layout.is_compact else 3 + self.has_published)

    def _row(self, row: CrosstableRow, *, is_far: bool) -> Iterator[str]:
        number, anchor = row.number, self.layout.anchor
        kind = " class=far" if is_far else ""
        if row.member_id == self.member_id:
            kind = " class=mine"
        yield (
            f'<tr id={anchor}{number}{kind}><td class="num place">'
            f'{self._place(row)}<td class="num number">'
            f"<a href=#{anchor}{number}>{number}</a><th scope=row class=name>"
            f"<a href={self.profiles}{row.member_id}/>{escape(row.name)}</a>"
        )
        if row.state:
            yield f" <span class=st>{escape(row.state)}</span>"
        if row.other_numbers:
            yield f" {self._other_entries(row)}"
        yield from self._ratings(row)
        yield f'<td class="num total">{half_points(row.half_points)}'
        texts, cells = self.texts, row.cells
        yield "".join(
            [texts[cells[r]] if r in cells else NOT_PLAYED for r in self.rounds]
        )

    def _place(self, row: CrosstableRow) -> str:
        place, is_shared = self.places[row.half_points]
        return f"{place}<span class=hang>=</span>" if is_shared else str(place)

    def _other_entries(self, row: CrosstableRow) -> str:
        """Link to the other entries of a re-entered player, with the combined score."""
        others = ", ".join(
            f"<a href=#{self.layout.anchor}{other}>"
            f"{_('no. {number}').format(number=other)}</a>"
            for other in row.other_numbers
        )
        total = half_points(self.table.combined_half_points(row))
        words = _("with {others}: {points} in total")
        sentence = words.format(others=others, points=total)
        return f'<span class="joined small">{sentence}</span>'

    def _ratings(self, row: CrosstableRow) -> Iterator[str]:
        if self.table.is_imported:
            yield f'<td class="num rating">{escape(row.printed_before)}'
            if self.table.has_printed_after:
                yield f'<td class="num rating post">{_printed(row.printed_after)}'
            return
        if self.table.systems and not any(row.changes):
            columns = self._rating_columns()
            # A player added by a correction has games, but no ledger line yet.
            words = (
                _("pending the next rerate") if row.has_played else _("no rated games")
            )
            yield f'<td class="rating quiet" colspan={columns}>{words}'
            return
        for system, change, published in zip(
            self.table.systems, row.changes, row.published, strict=True
        ):
            if change is None:
                continue
            is_exact = self.decimals and self.table.reader.can_see_exact(row.player_id)
            post = self._post(change, system, row.member_id, is_exact=is_exact)
            points = "" if change.points is None else signed(change.points)
            if self.layout.is_compact:
                yield self._compact(system, post, points)
                continue
            pre = self._pre(change, is_exact=is_exact)
            other = "" if change.is_about else _published(published, change)
            if self.is_dual:  # one cell for each system, so that they stay together
                words = f"{_letter(system)} {pre} → {post} {_quiet(points)} {other}"
                yield f'<td class="num rating">{words.strip()}'
                continue
            yield (
                f'<td class="num rating">{pre}<td class="num rating post">{post}'
                f'<td class="num rating change">{points}'
            )
            if self.has_published:
                yield f'<td class="num rating change">{other}'

    def _compact(self, system: System, post: str, points: str) -> str:
        if self.is_dual:
            return f'<td class="num rating">{_letter(system)} {post} {_quiet(points)}'
        return (
            f'<td class="num rating post">{post}<td class="num rating change">{points}'
        )

    def _pre(self, change: Change, *, is_exact: bool) -> str:
        before = change.before
        if change.pre_rating is None or before is None:
            return _("unrated")
        rating = _figure(change.pre_rating, before, is_exact=is_exact)
        return f"{rating}{_marks(self._provisional(change.pre_games))}"

    def _post(
        self, change: Change, system: System, member_id: str, *, is_exact: bool
    ) -> str:
        marks = self._provisional(change.post_games)
        if change.bonus:
            bonus = _figure(change.bonus, change.bonus, is_exact=is_exact)
            words = ngettext(
                "bonus of {bonus} point",
                "bonus of {bonus} points",
                1 if bonus == "1" else 2,
            )
            marks.append(("b", words.format(bonus=bonus)))
        if (floor := change.floor) is not None:
            marks.append(("f", _("at the floor of {floor}").format(floor=whole(floor))))
        if (ceiling := change.ceiling) is not None:
            words = _("at the ceiling of {ceiling}")
            marks.append(("c", words.format(ceiling=whole(ceiling))))
        rating = _figure(change.post_rating, change.after, is_exact=is_exact)
        why = f"{self.layout.base}why/{member_id}/{system}/"
        return f"<a href={why}>{rating}</a>{_marks(marks)}"

    def _provisional(self, games: int) -> list[tuple[str, str]]:
        if games > self.established_after:
            return []
        words = ngettext(
            "provisional, {number} game", "provisional, {number} games", games
        )
        return [(f"P{games}", words.format(number=games))]


def _letter(system: System) -> str:
    return _quiet(system.short)


def _quiet(text: str) -> str:
    return f"<span class=quiet>{text}</span>" if text else ""


def _figure(exact: float, published: float, *, is_exact: bool) -> str:
    return decimal_rating(exact) if is_exact else format_rating(published)


class _CellTexts(dict[Cell, str]):
    """The cells as HTML; equal cells are built once."""

    def __init__(self, layout: Layout) -> None:
        super().__init__()
        self.layout = layout

    def __missing__(self, cell: Cell) -> str:
        text = self[cell] = f"<td>{_cell(cell, self.layout)}"
        return text


def _cell(cell: Cell, layout: Layout) -> str:
    if isinstance(cell, Unplayed):
        return _unplayed(cell, layout)
    return _played(cell, layout)


def _played(cell: Side, layout: Layout) -> str:
    games = len(cell.outcomes)
    kind = " class=win" if cell.half_points > games else ""
    if cell.half_points < games:
        kind = " class=lost"
    star = "*" if cell.differs else ""
    disc = "" if layout.is_compact else DISCS[cell.color]
    return (
        f"<a href=#{layout.anchor}{cell.opponent}{kind}>"
        f"{cell.outcomes}{star} {cell.opponent}{disc}</a>"
    )


def _unplayed(cell: Unplayed, layout: Layout) -> str:
    points = half_points(cell.half_points)
    words = UNPLAYED_WORDS[cell.kind]
    if cell.kind in "BH":
        text = f"bye {points}" if cell.kind == "B" else f"{points} bye"
    else:
        text = f"forfeit {points}"
    if cell.opponent is None:
        return f'<span class=none title="{words}">{text}</span>'
    return (
        f"<a href=#{layout.anchor}{cell.opponent} class=none "
        f'title="{words}, opponent no. {cell.opponent}">{text}</a>'
    )


def _marks(marks: list[tuple[str, str]]) -> str:
    if not marks:
        return ""
    letters = " ".join(letter for letter, _ in marks)
    words = ", ".join(word for _, word in marks).capitalize()
    return f'<sup class=mark title="{words}">{letters}</sup>'


def is_long(table: Crosstable) -> bool:
    return len(table.rows) >= GROUPED_FROM


def has_published(table: Crosstable) -> bool:
    return any(printed is not None for row in table.rows for printed in row.published)


def agreement(table: Crosstable) -> tuple[int, int, str]:
    """Return how many published ratings agree with ours, the total, and the source."""
    pairs = [
        (printed, change)
        for row in table.rows
        for printed, change in zip(row.published, row.changes, strict=True)
        if printed is not None and change is not None and not change.is_about
    ]
    same = sum(not differs(printed, change) for printed, change in pairs)
    return same, len(pairs), ", ".join(sorted({printed.source for printed, _ in pairs}))


def legend(table: Crosstable, *, established_after: int) -> list[tuple[str, str]]:
    """Return the symbols that the table uses, each with its meaning."""
    changes = [change for row in table.rows for change in row.changes if change]
    marks = (
        (
            "P12",
            _("a provisional rating based on 12 games"),
            any(
                change.post_games <= established_after
                or 0 < change.pre_games <= established_after
                for change in changes
            ),
        ),
        ("b", _("with a bonus"), any(change.bonus for change in changes)),
        ("f", _("at a floor"), any(c.floor is not None for c in changes)),
        ("c", _("at a ceiling"), any(c.ceiling is not None for c in changes)),
        ("*", _("result counts for one player only"), table.has_unequal_results),
        ("≠", _("different number published elsewhere"), has_published(table)),
    )
    return [(mark, meaning) for mark, meaning, used in marks if used]


def differs(published: Published, change: Change) -> bool:
    """Return whether another source prints another rating, at its own precision."""
    scale = 10**published.decimals
    return whole(change.post_rating * scale) != whole(published.rating * scale)


def _printed(published: Published | None) -> str:
    return (
        format_with_decimals(published.rating, published.decimals) if published else ""
    )


def _published(published: Published | None, change: Change) -> str:
    if published is None or not differs(published, change):
        return ""
    source = escape(published.source)
    return f'<span title="Published by {source}">≠ {_printed(published)}</span>'
