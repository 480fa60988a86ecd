"""Convert text from the source of a web page to plain text."""

from __future__ import annotations

import html
import re

_MARKUP = re.compile(r"<(?:html|body|pre|table|tr|td|br)\b[^<>]{0,500}>", re.I)
_ENTITY = re.compile(r"&(?:[a-z]{2,8}[0-9]{0,2}|#[0-9]{1,6}|#x[0-9a-f]{1,5});", re.I)
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


def unescape_entities(text: str) -> str:
    """Return *text* with HTML entities replaced by their characters.

    >>> unescape_entities("R: 1794 -&gt;1817 &frac12; &c")
    'R: 1794 ->1817 ½ &c'
    """
    return _ENTITY.sub(lambda name: html.unescape(name[0]), text).replace("\xa0", " ")
