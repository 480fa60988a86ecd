"""A small writer of calendar files for other programs (iCalendar, RFC 5545)."""

from collections.abc import Iterable, Iterator
from datetime import timedelta

from django.conf import settings

from events.models import EventRegistration

LONGEST_LINE = 75  # bytes


def calendar(name: str, registrations: Iterable[EventRegistration]) -> str:
    """Return a calendar file with the line endings that the format requires."""
    lines = [
        "BEGIN:VCALENDAR",
        "VERSION:2.0",
        "PRODID:-//Ratings office//Calendar//EN",
        "METHOD:PUBLISH",
        f"X-WR-CALNAME:{_escaped(name)}",
    ]
    for registered in registrations:
        lines += _event(registered)
    lines.append("END:VCALENDAR")
    return "".join(f"{folded(line)}\r\n" for line in lines)


def _event(one: EventRegistration) -> Iterator[str]:
    yield "BEGIN:VEVENT"
    yield f"UID:registration-{one.pk}@{settings.SITE_URL.partition('://')[2]}"
    yield f"DTSTAMP:{one.changed_at:%Y%m%dT%H%M%SZ}"
    yield f"SEQUENCE:{one.changes}"
    yield f"DTSTART;VALUE=DATE:{one.starts:%Y%m%d}"
    # The format's end date is exclusive.
    yield f"DTEND;VALUE=DATE:{one.ends + timedelta(days=1):%Y%m%d}"
    yield f"SUMMARY:{_escaped(one.name)}"
    if one.place:
        yield f"LOCATION:{_escaped(one.place)}"
    yield f"DESCRIPTION:{_escaped(one.notice or one.affiliate.name)}"
    yield f"URL:{settings.SITE_URL}{one.get_absolute_url()}"
    yield f"STATUS:{'CANCELLED' if one.is_canceled else 'CONFIRMED'}"
    yield "TRANSP:TRANSPARENT"
    yield "END:VEVENT"


def _escaped(text: str) -> str:
    r"""Return text as a value of the format.

    >>> _escaped("Rooks, knights; and\nmore")
    'Rooks\\, knights\\; and\\nmore'
    """
    text = text.replace("\r\n", "\n")
    for plain, written in (("\\", "\\\\"), (";", "\\;"), (",", "\\,"), ("\n", "\\n")):
        text = text.replace(plain, written)
    return "".join(letter for letter in text if letter.isprintable())


def folded(line: str) -> str:
    """Return a line folded after 75 bytes at most, never inside a character."""
    pieces, piece, size = [], "", 0
    for letter in line:
        width = len(letter.encode())
        if size + width > LONGEST_LINE:
            pieces.append(piece)
            piece, size = " ", 1
        piece += letter
        size += width
    return "\r\n".join([*pieces, piece])
