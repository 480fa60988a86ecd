"""Findings in the reader's language.

Findings are compared and stored in English, so that a TD's override matches its finding
in every language.
"""

from dataclasses import replace

from django.utils.translation import gettext

from events.formats.findings import Finding, Place
from events.formats.translatable_text import TranslatableText


def translated(text: str) -> str:
    """Return *text* in the reader's language if it is a TranslatableText."""
    return text.translated(gettext) if isinstance(text, TranslatableText) else text


def translated_finding(finding: Finding) -> Finding:
    """Return the finding with its sentence and hint in the reader's language."""
    return replace(
        finding, message=translated(finding.message), hint=translated(finding.hint)
    )


def translated_place(place: Place) -> str:
    """Return the place in the reader's language, or "" for the whole event."""
    words = ", ".join(translated(part) for part in place.parts)
    return words if place.file else words[:1].upper() + words[1:]
