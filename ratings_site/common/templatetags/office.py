"""Template filters and tags for numbers, dates, symbols and icons."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import Any

from django import template
from django.conf import settings
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext

from ratings_site.common.models import Office
from ratings_site.common.ui import formatting
from ratings_site.common.ui.icons import icon_svg
from ratings_site.common.ui.job_names import job_name

register = template.Library()

# Capitalized words after other words, but not acronyms such as FIDE or TOTP.
_CAPITALIZED = re.compile(r"(?:(?<=[\w,] )|(?<=\w-))[A-Z](?=[a-zà-ÿ]+\b)")


def _shown(value: Any, write: Callable[[Any], object], absent: str = "") -> str:
    return absent if value in (None, "") else str(write(value))


# Filters that write a value, or nothing for None, each with an example.
_WRITERS: dict[str, Callable[[Any], object]] = {
    "whole": formatting.format_rating,  # 1654.5 -> 1655, or "about 500"
    "signed": formatting.signed,  # 12 -> +12, -12 -> −12 (a true minus), 0 -> ±0
    "money": formatting.money,  # Decimal("0.35") -> $0.35
    "half_points": formatting.half_points,  # 7 half points -> 3½
    "quarter_points": formatting.quarter_points,  # 11 quarter points -> 2¾
    "day": formatting.format_day,  # May 4, 2024, for tables and labels
    "long_day": formatting.long_day,  # September 4, 2024, for prose
    "month": formatting.format_month,  # September 2024
    "short_month": formatting.short_month,  # Sep 2024
    "clock": formatting.clock,  # 3:10 AM CT
    "moment": formatting.moment,  # Nov 28, 2026, 3:10 AM CT
}
for _name, _write in _WRITERS.items():
    register.filter(_name, partial(_shown, write=_write))

register.filter("title_case", formatting.in_title_case)  # SPRING OPEN -> Spring Open
register.filter("work", job_name)  # ratings.rate_section -> Rate section
# May 4 to 5, 2024; one date where both are the same.
register.simple_tag(formatting.days)


@register.filter
def rating(value: float | None) -> str:
    """1654.5 -> 1655, or "about 500"; "unrated" for None."""
    return _shown(value, formatting.format_rating, absent=gettext("unrated"))


@register.filter
def about_if(value: float | None, is_about: bool) -> str:
    """600 -> "about 600" if *is_about*, else 600; nothing for None."""
    if is_about and value is not None:
        value = formatting.ApproximateRating(value)
    return _shown(value, formatting.format_rating)


@register.filter
def decimal_rating(value: float | None) -> str:
    """1654.5 -> 1654.50; "unrated" for None."""
    return _shown(value, formatting.decimal_rating, absent=gettext("unrated"))


@register.filter
def sentence_case(html: str) -> SafeString:
    """Two-Factor Authentication -> Two-factor authentication; keeps HTML tags."""
    texts = re.split(r"(<[^>]*>)", html)
    for at in range(0, len(texts), 2):
        texts[at] = _CAPITALIZED.sub(lambda found: found[0].lower(), texts[at])
    return mark_safe("".join(texts))  # noqa: S308 (it was safe as it came)


@register.filter
def translated(name: str) -> str:
    """Translate a name of the engine, which is in English."""
    return gettext(name) if name else ""  # gettext("") is the catalog's header


@register.filter
def color_mark(color: str | None) -> SafeString:
    """Return ○ or ● for "w" or "b" (any case), with a word for screen readers."""
    for name, (letter, mark, word) in formatting.COLOR_MARKS.items():
        if color and color.lower() in (letter, name):
            return format_html(
                '<b class="{}" aria-hidden="true">{}</b><span class="vh">{}</span>',
                letter,
                mark,
                word,
            )
    return SafeString("")


@register.filter
def change(points: float | None) -> SafeString:
    """A signed rating change in green or red."""
    if points is None:
        return SafeString("")
    number = formatting.whole(points)
    kind = "gain" if number > 0 else "loss-of-points" if number < 0 else "quiet"
    return format_html('<span class="{}">{}</span>', kind, formatting.signed(points))


@register.simple_tag
def office_name() -> str:
    """Return the federation's name, or “Ratings office”."""
    return Office.current.name if Office.current else gettext("Ratings office")


@register.simple_tag
def read_only_reason() -> str:
    """Return why nothing can be changed now, or ""."""
    return Office.maintenance_reason()


@register.simple_tag
def office_logo() -> str:
    """Return the URL of the federation's logo, or ""."""
    digest = Office.current.logo_digest if Office.current else ""
    return reverse("logo", args=[digest]) if digest else ""


@register.simple_tag
def office_version() -> str:
    return str(settings.VERSION)


@register.simple_tag
def office_address() -> str:
    return Office.current.address if Office.current else ""


_OF_A_LINE = re.compile(r"(.+-[0-9]+)-\w+", re.ASCII)
# The free text fields of all forms.
WRITTEN = ("reason", "public_note", "note", "text", "lines", "wish")


@register.simple_tag
def written_in(request: HttpRequest) -> str:
    """Return the free text of a refused form, so that it can be copied."""
    texts = [request.POST.get(name, "").strip() for name in WRITTEN]
    lines: dict[str, list[str]] = {}
    for name, value in request.POST.items():
        if (line := _OF_A_LINE.fullmatch(name)) and (typed := str(value).strip()):
            lines.setdefault(line[1], []).append(typed)
    texts += ["\n".join(" ".join(line) for line in lines.values())]
    return "\n\n".join(text for text in texts if text)


@register.simple_tag
def icon(name: str) -> SafeString:
    """Return an icon of ratings_site/common/ui/icons.py, which needs a label."""
    return mark_safe(icon_svg(name))  # noqa: S308 - drawn from our own constants


@register.inclusion_tag("partials/severity.html")
def severity(level: str, word: str = "") -> dict[str, str]:
    """Icon and word for error, warning, note or good."""
    return {"level": level, "word": word or gettext(level.capitalize())}
