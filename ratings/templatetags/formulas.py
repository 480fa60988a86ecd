"""The template tag of formulas, each on a line of its own."""

from django import template
from django.template.base import NodeList, Parser, Token
from django.template.context import Context
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from ratings.pages.why.mathml import typeset
from ratings_site.common.ui import formatting

register = template.Library()
register.filter("constant", formatting.format_constant)


class Formula(template.Node):
    def __init__(self, nodelist: NodeList) -> None:
        self.nodelist = nodelist

    def render(self, context: Context) -> SafeString:
        lines = self.nodelist.render(context).splitlines()
        formulas = [(typeset(line),) for line in lines if line.strip()]
        return format_html(
            '<div class="formula" tabindex="0">{}</div>',
            format_html_join("", "{}", formulas),
        )


@register.tag
def formula(parser: Parser, token: Token) -> Formula:
    """Typeset the lines up to ``endformula``, as `mathml.typeset` reads them."""
    nodelist = parser.parse(["endformula"])
    parser.delete_first_token()
    return Formula(nodelist)
