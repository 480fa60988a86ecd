"""Template filters and tags of the office: figures, marks and icons."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date
from typing import Any

from django import template
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext

from ratings_site.common.looks import figures
from ratings_site.common.looks.icons import icon_svg
from ratings_site.common.models import Office

register = template.Library()

# Of words behind others, those with one capital, at their front: not FIDE, nor TOTP.
_CAPITALIZED = re.compile(r"(?:(?<=[\w,] )|(?<=\w-))[A-Z](?=[a-zà-ÿ]+\b)")


def _shown(value: Any, write: Callable[[Any], object], absent: str = "") -> str:
    return absent if value in (None, "") else str(write(value))


@register.filter
def whole(value: float | None) -> str:
    """1654.5 -> 1655, or "about 500"; nothing for None."""
    return _shown(value, figures.in_words)


@register.filter
def rating(value: float | None) -> str:
    """1654.5 -> 1655, or "about 500"; "unrated" for None."""
    return _shown(value, figures.in_words, absent=gettext("unrated"))


@register.filter
def about_if(value: float | None, is_about: bool) -> str:
    """600 -> "about 600" where it *is_about* so much, else 600; nothing for None."""
    return whole(figures.About(value) if is_about else value)


@register.filter
def decimal_rating(value: float | None) -> str:
    """1654.5 -> 1654.50; "unrated" for None."""
    return _shown(value, figures.decimal_rating, absent=gettext("unrated"))


@register.filter
def sentence_case(html: str) -> SafeString:
    """Two-Factor Authentication -> Two-factor authentication, tags left alone."""
    texts = re.split(r"(<[^>]*>)", html)
    for at in range(0, len(texts), 2):
        texts[at] = _CAPITALIZED.sub(lambda found: found[0].lower(), texts[at])
    return mark_safe("".join(texts))  # noqa: S308 (it was safe as it came)


@register.filter
def signed(value: float | None) -> str:
    """12 -> +12, -12 -> −12 (a true minus), 0 -> ±0."""
    return _shown(value, figures.signed)


@register.filter
def half_points(value: int | None) -> str:
    """7 half points -> 3½."""
    return _shown(value, figures.half_points)


@register.filter
def day(value: date | None) -> str:
    """4 May 2024."""
    return _shown(value, figures.day_in_words)


@register.filter
def month(value: Any) -> str:
    """Write the month of a date as "May 2024"."""
    return _shown(value, figures.month_of_year)


@register.filter
def translated(name: str) -> str:
    """A name of the engine, which knows no languages, in that of the reader."""
    return gettext(name) if name else ""  # of "" gettext says the catalog's head


@register.filter
def work(kind: str) -> str:
    """ratings.rate_section -> Rate section."""
    words = kind.rpartition(".")[2].replace("_", " ")
    return gettext(words.capitalize().replace("fide", "FIDE"))


@register.filter
def color_mark(color: str | None) -> SafeString:
    """White or Black ("w", "b", any case) as ○ or ●, with the word for readers."""
    for name, (letter, mark, word) in figures.COLOR_MARKS.items():
        if color and color.lower() in (letter, name):
            return format_html(
                '<b class="{}" aria-hidden="true">{}</b><span class="vh">{}</span>',
                letter,
                mark,
                gettext(word),
            )
    return SafeString("")


@register.filter
def change(points: float | None) -> SafeString:
    """A rating change: signed, and green or red beside its sign."""
    if points is None:
        return SafeString("")
    number = figures.whole(points)
    kind = "gain" if number > 0 else "loss-of-points" if number < 0 else "quiet"
    return format_html('<span class="{}">{}</span>', kind, figures.signed(points))


@register.simple_tag
def office_name() -> str:
    """The federation's name, or what this is."""
    return Office.shown.name if Office.shown else gettext("Ratings office")


@register.simple_tag
def office_logo() -> str:
    """The address of the federation's logo, if it has one."""
    digest = Office.shown.logo_digest if Office.shown else ""
    return reverse("logo", args=[digest]) if digest else ""


@register.simple_tag
def office_address() -> str:
    return Office.shown.address if Office.shown else ""


# The fields in which people write sentences, in all forms.
_OF_A_LINE = re.compile(r"(.+-[0-9]+)-\w+", re.ASCII)
WRITTEN = ("reason", "public_note", "note", "text", "lines", "wish")


@register.simple_tag
def written_in(request: HttpRequest) -> str:
    """What somebody wrote in a form that is answered by a refusal, to be copied."""
    texts = [request.POST.get(name, "").strip() for name in WRITTEN]
    lines: dict[str, list[str]] = {}
    for name, value in request.POST.items():
        if (line := _OF_A_LINE.fullmatch(name)) and value.strip():
            lines.setdefault(line[1], []).append(value.strip())
    texts += ["\n".join(" ".join(line) for line in lines.values())]
    return "\n\n".join(text for text in texts if text)


@register.simple_tag
def icon(name: str) -> SafeString:
    """An icon of ratings_site/common/looks/icons.py; the word stands beside it."""
    return mark_safe(icon_svg(name))  # noqa: S308 - drawn from our own constants


@register.inclusion_tag("partials/severity.html")
def severity(level: str, word: str = "") -> dict[str, str]:
    """Icon and word for error, warning, note or good."""
    return {"level": level, "word": word or gettext(level.capitalize())}
