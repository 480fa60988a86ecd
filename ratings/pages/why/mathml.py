"""Formulas as native MathML."""

import re

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from ratings_site.common.ui.formatting import MINUS

# A number with its sign, a word, words in quotes, a double slash, a sign.
_TOKENS = re.compile(rf'{MINUS}?\d+(?:\.\d+)?|[^\W\d_]+|"[^"]+"|//|\S')
_PRIME = SafeString('<mo lspace="0em" rspace="0em">′</mo>')
_SUM = SafeString('<mo movablelimits="false">∑</mo>')


def operand(rating: str) -> SafeString:
    """Return a rating as an operand for `typeset`: "about 600" is quoted.

    >>> operand("1644"), operand("about 600")
    ('1644', '"about 600"')
    """
    return format_html('"{}"' if " " in rating else "{}", rating)


def typeset(formula: str) -> SafeString:
    """Convert a formula written on one line to MathML.

    ``a/b`` is a fraction, ``//`` a stroke, ``R_i`` has an index, ``x^2`` a power, √ a
    root. Brackets that only hold together what is above or below a line, in a root
    or in a power are not shown. A minus without a space behind belongs to the number.

    >>> print(typeset("K = 800/(N + m)").replace("><", "> <"))
    <math display="block"> <mrow> <mi>K</mi> <mo>=</mo> <mfrac> <mn>800</mn> <mrow> \
<mi>N</mi> <mo>+</mo> <mi>m</mi> </mrow> </mfrac> </mrow> </math>
    """
    tokens = _TOKENS.findall(formula)[::-1]
    return _element("math", _row(_sequence(tokens)), display="block")


def _sequence(tokens: list[str]) -> list[SafeString]:
    """Parse the tokens up to the end or to a closing bracket."""
    parts: list[tuple[SafeString, SafeString]] = []
    while tokens and tokens[-1] != ")":
        if tokens[-1] == "/":
            tokens.pop()
            (_, above), (_, below) = parts.pop(), _operand(tokens)
            fraction = _element("mfrac", above, below)
            parts.append((fraction, fraction))
        else:
            parts.append(_operand(tokens))
    return [shown for shown, _ in parts]


def _operand(tokens: list[str]) -> tuple[SafeString, SafeString]:
    """Parse one operand; return it with its brackets and without."""
    shown, bare = _atom(tokens)
    while tokens and tokens[-1] in "′*_^":
        sign = tokens.pop()
        if sign == "′":
            shown = _element("msup", shown, _PRIME)
        elif sign == "*":
            shown = _element("msup", shown, _element("mo", sign))
        elif sign == "^":
            shown = _element("msup", shown, _atom(tokens)[1])
        else:
            name = "munder" if shown == _SUM else "msub"
            shown = _element(name, shown, _atom(tokens)[1])
        bare = shown
    return shown, bare


def _atom(tokens: list[str]) -> tuple[SafeString, SafeString]:
    taken = tokens.pop()
    if taken == "(":
        inside = _sequence(tokens)
        tokens.pop()
        brackets = _element("mo", "("), _element("mo", ")")
        return _row([brackets[0], *inside, brackets[1]]), _row(inside)
    if taken == "√":
        shown = _element("msqrt", _operand(tokens)[1])
    elif taken == "∑" and tokens[-1:] == ["_"]:
        shown = _SUM
    elif taken[-1].isdigit():
        shown = _element("mn", taken)
    elif taken.isalpha():
        shown = _element("mi", taken)
    else:
        shown = _element("mo", "/" if taken == "//" else taken.strip('"'))
    return shown, shown


def _row(parts: list[SafeString]) -> SafeString:
    return _element("mrow", *parts)


def _element(name: str, *inside: str, **attributes: str) -> SafeString:
    return format_html(
        "<{}{}>{}</{}>",
        name,
        format_html_join("", ' {}="{}"', attributes.items()),
        format_html_join("", "{}", ((one,) for one in inside)),
        name,
    )
