"""Convert text from the source of a web page to plain text."""

from __future__ import annotations

import re

from players.formats.text import unescape_entities

_MARKUP = re.compile(r"<(?:html|body|pre|table|tr|td|br)\b[^<>]{0,500}>", re.I)
_LINE_END = re.compile(r"<(?:br|/tr|/p|/div|/pre|/h[1-6]|/li|pre)\b[^<>]{0,500}>", re.I)
_CELL_END = re.compile(r"</t[dh]\s*>\s*", re.I)
_TAG = re.compile(r"</?[a-z!][^<>]{0,500}>", re.I)


def strip_markup(text: str) -> str:
    """Return *text* without HTML tags; tabs separate the cells of a table.

    >>> strip_markup("<table><tr><td>1</td><td>Ana</td></tr></table>")
    '1\\tAna\\t\\n'
    """
    if not _MARKUP.search(text):
        return text
    if "<pre" not in text.lower():  # elsewhere a line break is a space
        text = " ".join(text.split("\n"))
    text = _LINE_END.sub("\n", _CELL_END.sub("\t", text))
    return unescape_entities(_TAG.sub("", text))
