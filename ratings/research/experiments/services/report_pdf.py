"""The report of an experiment as PDF.

Imported where a PDF is asked for: its library takes 0.4 s to load.
"""

from collections.abc import Iterable, Iterator, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

from django.utils.translation import get_language
from django.utils.translation import gettext as _
from font_source_serif_pro import SourceSerifPro, SourceSerifProSemibold
from reportlab.graphics.shapes import Circle, Drawing, Line, String
from reportlab.lib.colors import HexColor
from reportlab.lib.pagesizes import letter
from reportlab.lib.styles import ParagraphStyle
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.platypus import Flowable, Paragraph, SimpleDocTemplate, Spacer, Table

from ratings.research.experiments.queries.cells import Sheet
from ratings_site.common.templatetags.office import office_name
from ratings_site.common.ui.charts.flat import Shape, shapes

_SERIF, _BOLD = "SourceSerif", "SourceSerifBold"
_INK, _QUIET, _GRID = map(HexColor, ("#1f1d19", "#5d574c", "#cfc8b8"))
# Lines have labels at their ends, so their colors need not tell them apart alone.
_COLORS = [
    HexColor(one)
    for one in ("#28593c", "#9a3b1f", "#2a5a8a", "#7a5a10", "#6a3d7c", "#3f6f6f")
]
_MARGIN = 54
_WIDTH = letter[0] - 2 * _MARGIN - 12  # less the frame's padding
_TALLEST = letter[1] - 2 * _MARGIN - 24
_LETTERS = {"fontName": _SERIF, "textColor": _INK, "splitLongWords": 1}
_HEADING = _LETTERS | {"fontName": _BOLD, "keepWithNext": 1}
_STYLES = {
    "title": ParagraphStyle("t", fontSize=20, leading=25, **_HEADING),
    "heading": ParagraphStyle("h", fontSize=14, leading=20, spaceBefore=12, **_HEADING),
    "subheading": ParagraphStyle(
        "s", fontSize=11, leading=16, spaceBefore=8, **_HEADING
    ),
    "text": ParagraphStyle("p", fontSize=10, leading=14, spaceAfter=4, **_LETTERS),
    "cell": ParagraphStyle("c", fontSize=8, leading=10, **_LETTERS),
    "number": ParagraphStyle("n", fontSize=8, leading=10, alignment=2, **_LETTERS),
}
_LINES = [
    ("VALIGN", (0, 0), (-1, -1), "TOP"),
    ("LINEBELOW", (0, 0), (-1, -1), 0.3, _GRID),
    ("LEFTPADDING", (0, 0), (0, -1), 0),
    ("TOPPADDING", (0, 0), (-1, -1), 1.5),
    ("BOTTOMPADDING", (0, 0), (-1, -1), 2.5),
]


def pdf_of(blocks: Iterable[tuple[str, Any]], title: str) -> bytes:
    """Return the *blocks* of a report as PDF on letter paper, in embedded letters.

    The same blocks give the same bytes.
    """
    for name, font in ((_SERIF, SourceSerifPro), (_BOLD, SourceSerifProSemibold)):
        # The package has each font in both formats; OpenType can't be embedded.
        path = str(Path(font).with_suffix(".ttf"))
        pdfmetrics.registerFont(TTFont(name, path))
    parts: list[Flowable] = []
    for kind, value in blocks:
        parts += _flowables(kind, value)
    file = BytesIO()
    SimpleDocTemplate(
        file,
        pagesize=letter,
        title=title,
        author=office_name(),
        lang=get_language(),
        invariant=True,
        **dict.fromkeys(
            ("leftMargin", "rightMargin", "topMargin", "bottomMargin"), _MARGIN
        ),
    ).build(parts, onFirstPage=_number_page, onLaterPages=_number_page)
    return file.getvalue()


def _number_page(canvas: Any, document: Any) -> None:
    canvas.setFont(_SERIF, 8)
    canvas.setFillColor(_QUIET)
    canvas.drawRightString(letter[0] - _MARGIN, 30, str(document.page))


def _flowables(kind: str, value: Any) -> list[Flowable]:
    if kind == "facts":
        rows = [
            [_paragraph(word, "cell"), _paragraph(text, "cell")] for word, text in value
        ]
        return [_table(rows, [_WIDTH * 0.3, _WIDTH * 0.7])] if rows else []
    if kind == "sources":
        return [
            _paragraph(f"{_(one.title)} {one.address}".strip(), "cell") for one in value
        ]
    if kind == "sheet":
        return [*_sheet(value)]
    return [_paragraph(value, kind)]


def _table(rows: Any, widths: list[float], **options: Any) -> Table:
    # A row can be taller than a page.
    return Table(rows, widths, style=_LINES, splitInRow=1, **options)


def _paragraph(text: str, style: str) -> Paragraph:
    return Paragraph(escape(str(text)), _STYLES[style])


def _sheet(sheet: Sheet) -> Iterator[Flowable]:
    yield _paragraph(sheet.title, "subheading")
    if sheet.caption:
        yield _paragraph(sheet.caption, "cell")
    for svg in sheet.plots:
        yield Spacer(1, 6)
        yield _chart(svg)
    others = len(sheet.headings) - 1
    first = _WIDTH * max(0.16, 0.5 - 0.07 * others)
    widths = [first, *[(_WIDTH - first) / others] * others] if others else [_WIDTH]
    rows = [_row(row) for row in (sheet.headings, *sheet.cells)]
    yield Spacer(1, 6)
    yield _table(rows, widths, repeatRows=1)


def _row(cells: Sequence[str]) -> list[Paragraph]:
    return [
        _paragraph(cell, "number" if place else "cell")
        for place, cell in enumerate(cells)
    ]


def _chart(svg: str) -> Drawing:
    """Draw one of the pages' charts, as wide as the paper if it fits a page."""
    height, found = shapes(svg, _WIDTH)
    drawing = Drawing(_WIDTH, height)
    for one in found:
        drawing.add(_shape(one, height))
    if height > _TALLEST:
        scale = _TALLEST / height
        drawing.scale(scale, scale)
        drawing.width, drawing.height = _WIDTH * scale, _TALLEST
    return drawing


def _shape(one: Shape, height: float) -> Any:
    x, y, right, bottom = one.box
    plain = _QUIET if one.kind == "text" else _GRID
    color = _COLORS[(one.style - 1) % len(_COLORS)] if one.style else plain
    if one.kind == "text":
        return String(
            *(x, height - y, one.words),
            fontName=_SERIF,
            fontSize=8,
            fillColor=color,
            textAnchor=one.anchor,
        )
    if one.kind == "circle":
        return Circle(x, height - y, 2.5, fillColor=color, strokeColor=None)
    width = 1.2 if one.style else 0.3
    ends = (x, height - y, right, height - bottom)
    return Line(*ends, strokeColor=color, strokeWidth=width)
