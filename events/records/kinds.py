"""Kinds of sections by the letters of report files."""

from events.models import Section

KINDS = {
    "S": Section.Kind.SWISS,
    "2": Section.Kind.DOUBLE_SWISS,
    "R": Section.Kind.ROUND_ROBIN,
    "D": Section.Kind.DOUBLE_ROUND_ROBIN,
    "M": Section.Kind.MATCH,
}
