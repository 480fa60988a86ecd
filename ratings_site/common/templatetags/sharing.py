"""What a page says of itself to programs: search engines, and places it is shared."""

from __future__ import annotations

import json
from typing import Any

from django import template
from django.core.exceptions import DisallowedHost
from django.http import HttpRequest
from django.template.base import NodeList, Parser, Token
from django.template.context import Context
from django.utils.html import _json_script_escapes, format_html
from django.utils.safestring import SafeString, mark_safe

register = template.Library()


class Captured(template.Node):
    """What stands between the tags, kept to be written more than once."""

    def __init__(self, name: str, nodelist: NodeList) -> None:
        self.name, self.nodelist = name, nodelist

    def render(self, context: Context) -> str:
        text = " ".join(self.nodelist.render(context).split())
        # It is escaped already, but may stand in an attribute.
        context[self.name] = mark_safe(text.replace('"', "&quot;"))  # noqa: S308
        return ""


@register.tag
def capture(parser: Parser, token: Token) -> Captured:
    """{% capture name %}text{% endcapture %}: {{ name }} is the text from here on."""
    _tag, name = token.split_contents()
    nodelist = parser.parse(["endcapture"])
    parser.delete_first_token()
    return Captured(name, nodelist)


@register.simple_tag
def canonical(request: HttpRequest) -> str:
    """The one address of a page: with the number of its page, without any filters.

    A page that answers a request to a host that is not ours has none.
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
    """Data for programs (JSON-LD). It is not run, so the page's policy lets it be."""
    text = json.dumps({"@context": "https://schema.org", **data}, ensure_ascii=False)
    return format_html(
        '<script type="application/ld+json">{}</script>',
        mark_safe(text.translate(_json_script_escapes)),  # noqa: S308 (escaped)
    )
