"""Text as it looked on the web page that it was taken from: without its markup."""

from __future__ import annotations

import html
import re

_MARKUP = re.compile(r"<(?:html|body|pre|table|tr|td|br)\b[^<>]{0,500}>", re.I)
_ENTITY = re.compile(r"&(?:[a-z]{2,8}[0-9]{0,2}|#[0-9]{1,6}|#x[0-9a-f]{1,5});", re.I)
_LINE_END = re.compile(r"<(?:br|/tr|/p|/div|/pre|/h[1-6]|/li|pre)\b[^<>]{0,500}>", re.I)
_CELL_END = re.compile(r"</t[dh]\s*>\s*", re.I)
_TAG = re.compile(r"</?[a-z!][^<>]{0,500}>", re.I)


def plain_text(text: str) -> str:
    """Return *text* without tags, if it is a web page's; a table's cells get tabs.

    >>> plain_text("<table><tr><td>1</td><td>Ana</td></tr></table>")
    '1\\tAna\\t\\n'
    """
    if not _MARKUP.search(text):
        return text
    if "<pre" not in text.lower():  # elsewhere a new line is a blank
        text = " ".join(text.split("\n"))
    text = _LINE_END.sub("\n", _CELL_END.sub("\t", text))
    return unescaped(_TAG.sub("", text))


def unescaped(text: str) -> str:
    """Return *text* with its letters in place of their names.

    >>> unescaped("R: 1794 -&gt;1817 &frac12; &c")
    'R: 1794 ->1817 ½ &c'
    """
    return _ENTITY.sub(lambda name: html.unescape(name[0]), text).replace("\xa0", " ")
