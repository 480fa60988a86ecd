"""The image of a share link, as PNG: sites that preview links show no SVG.

And the QR code of a statement.
"""

import io

import segno
from django.utils.safestring import SafeString, mark_safe
from font_source_serif_pro import SourceSerifPro, SourceSerifProSemibold
from PIL import Image, ImageDraw, ImageFont

from ratings.pages.sharing.queries import SharedRating
from ratings_site.common.templatetags.office import office_name

WIDTH, HEIGHT = 1200, 630
MARGIN = 80
# The tokens of the light theme: paper, ink, quiet, accent.
PAPER, INK, QUIET, ACCENT = "#faf7f0", "#1f1d19", "#5d574c", "#28593c"
SMALLEST = 40


def card(shared: SharedRating) -> bytes:
    """Draw the image. Nothing is read from a file but the fonts."""
    image = Image.new("RGB", (WIDTH, HEIGHT), PAPER)
    draw = ImageDraw.Draw(image)
    draw.rectangle((0, 0, WIDTH, 16), fill=ACCENT)
    _line(draw, 80, shared.player.name, SourceSerifProSemibold, 76, INK)
    _line(draw, 190, shared.rating, SourceSerifProSemibold, 200, ACCENT)
    _line(draw, 440, shared.what, SourceSerifPro, 44, INK)
    _line(draw, 530, office_name(), SourceSerifPro, 34, QUIET)
    file = io.BytesIO()
    image.save(file, "PNG")
    return file.getvalue()


def _line(
    draw: ImageDraw.ImageDraw, top: int, text: str, font: str, size: int, fill: str
) -> None:
    """Draw one line, in smaller letters or shortened where it is too long."""
    room = WIDTH - 2 * MARGIN
    letters = ImageFont.truetype(font, size)
    if (width := letters.getlength(text)) > room:
        letters = ImageFont.truetype(
            font, max(min(size, SMALLEST), int(size * room / width))
        )
    while letters.getlength(text) > room:
        text = text.rstrip("…")[:-1].rstrip() + "…"
    draw.text((MARGIN, top), text, fill=fill, font=letters)


def qr_code(text: str) -> SafeString:
    """Draw a QR code as SVG, black on white in every theme so that phones read it."""
    code = segno.make_qr(text, error="m")
    drawn = code.svg_inline(
        scale=4, border=4, dark="#000", light="#fff", svgclass=None, lineclass=None
    )
    return mark_safe(drawn)  # noqa: S308 (it holds numbers and colors only)
