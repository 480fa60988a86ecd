"""Findings in the reader's language.

They are found, compared and stored in English, so that a TD's word stays with its
finding each reader's language.
"""

from dataclasses import replace

from django.utils.translation import gettext

from events.importers.findings import Finding, Place
from events.importers.sentences import Sentence


def said(text: str) -> str:
    """Return *text* in the reader's language, if it knows what it was made of."""
    return text.again(gettext) if isinstance(text, Sentence) else text


def finding_said(finding: Finding) -> Finding:
    """Return the finding with its sentence and hint in the reader's language."""
    return replace(finding, message=said(finding.message), hint=said(finding.hint))


def place_said(place: Place) -> str:
    """Return where it is, in the reader's language; nothing for the whole event."""
    words = ", ".join(said(part) for part in place.parts)
    return words if place.file else words[:1].upper() + words[1:]
