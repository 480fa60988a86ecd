"""A small writer of calendar files for other programs (iCalendar, RFC 5545)."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta

LONGEST_LINE = 75  # bytes


@dataclass(frozen=True, slots=True)
class Appointment:
    """A range of days. *sequence* grows with each change."""

    uid: str
    starts: date
    ends: date
    summary: str
    changed_at: datetime
    location: str = ""
    description: str = ""
    url: str = ""
    sequence: int = 0
    is_canceled: bool = False


def calendar(name: str, appointments: Iterable[Appointment]) -> str:
    """Return a calendar file with the line endings that the format requires."""
    lines = [
        "BEGIN:VCALENDAR",
        "VERSION:2.0",
        "PRODID:-//Ratings office//Calendar//EN",
        "METHOD:PUBLISH",
        f"X-WR-CALNAME:{_escaped(name)}",
    ]
    for appointment in appointments:
        lines += _event(appointment)
    lines.append("END:VCALENDAR")
    return "".join(f"{folded(line)}\r\n" for line in lines)


def _event(one: Appointment) -> Iterator[str]:
    yield "BEGIN:VEVENT"
    yield f"UID:{one.uid}"
    yield f"DTSTAMP:{one.changed_at:%Y%m%dT%H%M%SZ}"
    yield f"SEQUENCE:{one.sequence}"
    yield f"DTSTART;VALUE=DATE:{one.starts:%Y%m%d}"
    # The format's end date is exclusive.
    yield f"DTEND;VALUE=DATE:{one.ends + timedelta(days=1):%Y%m%d}"
    yield f"SUMMARY:{_escaped(one.summary)}"
    if one.location:
        yield f"LOCATION:{_escaped(one.location)}"
    if one.description:
        yield f"DESCRIPTION:{_escaped(one.description)}"
    if one.url:
        yield f"URL:{one.url}"
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
