"""Metadata of pages for search engines and link previews."""

from __future__ import annotations

import json
from typing import Any

from django import template
from django.core.exceptions import DisallowedHost
from django.http import HttpRequest
from django.template.base import NodeList, Parser, Token
from django.template.context import Context
from django.utils import html
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

register = template.Library()


class Captured(template.Node):
    """Renders a block into a context variable."""

    def __init__(self, name: str, nodelist: NodeList) -> None:
        self.name, self.nodelist = name, nodelist

    def render(self, context: Context) -> str:
        text = " ".join(self.nodelist.render(context).split())
        # It is escaped already; quotes matter inside attributes.
        context[self.name] = mark_safe(text.replace('"', "&quot;"))  # noqa: S308
        return ""


@register.tag
def capture(parser: Parser, token: Token) -> Captured:
    """{% capture name %}text{% endcapture %} sets {{ name }} to the text."""
    _tag, name = token.split_contents()
    nodelist = parser.parse(["endcapture"])
    parser.delete_first_token()
    return Captured(name, nodelist)


@register.simple_tag
def canonical(request: HttpRequest) -> str:
    """Return the canonical URL of a page: with its page number, without filters.

    A request for a disallowed host has none.
    """
    try:
        address = request.build_absolute_uri(request.path)
    except DisallowedHost:
        return ""
    page = request.GET.get("page", "")
    is_later = page.isascii() and page.isdecimal() and len(page) < 9 and int(page) > 1
    return f"{address}?page={int(page)}" if is_later else address


@register.simple_tag
def linked_data(data: dict[str, Any]) -> SafeString:
    """Return a JSON-LD script, which the Content-Security-Policy does not block."""
    text = json.dumps({"@context": "https://schema.org", **data}, ensure_ascii=False)
    escapes = html._json_script_escapes  # type: ignore[attr-defined]
    return format_html(
        '<script type="application/ld+json">{}</script>',
        mark_safe(text.translate(escapes)),  # noqa: S308 (escaped)
    )
