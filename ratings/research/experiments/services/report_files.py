"""The report of an experiment as Markdown and as PDF, to attach to a proposal.

Both are made in memory from the same contents. Charts are in the PDF only: they are the
page's own SVG, drawn again.
"""

import re
from collections.abc import Iterator
from typing import Any

from django.utils.translation import gettext as _

from ratings.research.experiments.queries.report import Report
from ratings_site.common.templatetags.office import office_name
from ratings_site.common.ui.formatting import format_day

Block = tuple[str, Any]
"""A part of a report: its kind (a name of `Blocks`) and its contents."""


def _blocks(report: Report, finished_on: str) -> Iterator[Block]:
    """Yield the report part by part."""
    page, verdict = report.page, report.page.verdict
    yield "title", page.title
    yield "text", f"{office_name()} · {report.kind} · {finished_on}"
    if report.question:
        yield "heading", _("Question")
        yield "text", report.question
    if verdict:
        yield "heading", _("Answer")
        for text in (verdict.control, verdict.answer, *verdict.paragraphs):
            if text:
                yield "text", text
    yield "heading", _("How the experiment was run")
    yield "facts", page.facts
    yield "heading", _("Systems and parameters")
    for one in report.variants:
        yield "subheading", one.name
        yield "facts", one.parameters
        yield "sources", one.sources
    yield "heading", _("Results")
    for sheet in page.comparison:
        yield "sheet", sheet
    yield "heading", f"{_('Details of one variant')}: {page.chosen}"
    for sheet in page.variant_sheets:
        yield "sheet", sheet
    yield "heading", _("Method")
    for text in report.method:
        yield "text", str(text)
    yield "heading", _("How to repeat it")
    yield "facts", report.repeat


# --- Markdown ---


def markdown_report(report: Report, finished_on: Any) -> str:
    """Return the report as Markdown with tables (GitHub's), as readers show it."""
    lines: list[str] = []
    for kind, value in _blocks(report, format_day(finished_on)):
        lines += [*_markdown(kind, value), ""]
    return "\n".join(lines)


_MARKS = {"title": "# ", "heading": "## ", "subheading": "### "}


def _markdown(kind: str, value: Any) -> list[str]:
    if kind == "facts":
        return [f"- **{_plain(word)}:** {_plain(text)}" for word, text in value]
    if kind == "sources":
        word = _("Source")
        return [
            f"- {word}: {_plain(_(one.title))}{one.address and f' <{one.address}>'}"
            for one in value
        ]
    if kind == "sheet":
        rule = f"| --- |{' ---: |' * (len(value.headings) - 1)}"
        heading, *rows = (
            f"| {' | '.join(map(_plain, row))} |"
            for row in (value.headings, *value.cells)
        )
        return [
            f"### {_plain(value.title)}",
            *("", _plain(value.caption), "", heading, rule, *rows),
        ]
    if kind == "text":
        return ["\n\n".join(map(_plain, re.split(r"\n\s*\n", str(value))))]
    return [_MARKS.get(kind, "") + _plain(value)]


def _plain(text: str) -> str:
    """Return a text whose signs mean nothing in Markdown, on one line.

    >>> _plain("a*b <i>"), _plain("1. - c")
    ('a\\\\*b \\\\<i>', '1\\\\. - c')
    """
    line = re.sub(r"([\\`*_\[\]<#|~&])", r"\\\1", " ".join(str(text).split()))
    # At the beginning, these would make a list, a quotation or a rule.
    return re.sub(r"^(\d+(?=[.)](?: |$))|(?=[-+](?: |$)|>|---))", r"\1\\", line)


# --- PDF ---


def pdf_report(report: Report, finished_on: Any) -> bytes:
    """Return the report as PDF, with charts."""
    # Its library takes 0.4 s to load, for which no other page should wait.
    from ratings.research.experiments.services.report_pdf import pdf_of

    return pdf_of(_blocks(report, format_day(finished_on)), report.page.title)
