"""Restore submitted values in the form of an HTML page."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from html import escape, unescape
from html.parser import HTMLParser
from typing import Final
from urllib.parse import urljoin, urlsplit

Fields = Sequence[tuple[str, str]]
Edit = tuple[int, int, str]

# Inputs without a value, or whose value a page may not set.
SKIPPED_TYPES: Final = {"submit", "button", "image", "reset", "file", "password"}
CHECKABLE_TYPES: Final = {"checkbox", "radio"}
TOKEN: Final = "csrfmiddlewaretoken"  # noqa: S105 (the name of a field)


@dataclass
class _Element:
    """A start tag with its position in the page, and the end of its content."""

    tag: str
    attrs: dict[str, str | None]
    start: int
    end: int
    closed: int = 0
    options: list["_Element"] = field(default_factory=list)
    details: list["_Element"] = field(default_factory=list)

    @property
    def name(self) -> str:
        return self.attrs.get("name") or ""

    @property
    def kind(self) -> str:
        return "submit" if self.tag == "button" else self.attrs.get("type") or "text"

    @property
    def is_hidden(self) -> bool:
        return self.tag == "input" and self.kind == "hidden"

    def again(self, **changed: str | None) -> Edit:
        """Return an edit that changes attributes of the tag; None removes one."""
        attrs = {k: v or "" for k, v in self.attrs.items() if k not in changed}
        attrs |= {k: v for k, v in changed.items() if v is not None}
        said = "".join(f' {name}="{escape(value)}"' for name, value in attrs.items())
        return self.start, self.end, f"<{self.tag}{said}>"


class _Page(HTMLParser):
    """The forms of a page and their controls, with their positions."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=False)
        self._lines = [0, *(found.end() for found in re.finditer("\n", page))]
        self._open: dict[str, list[_Element]] = defaultdict(list)
        self.forms: list[_Element] = []
        self.controls: list[tuple[_Element, _Element | str | None]] = []
        self.content = 0
        self.feed(page)
        self.close()

    @property
    def _place(self) -> int:
        line, column = self.getpos()
        return self._lines[line - 1] + column

    def handle_starttag(
        self, tag: str, attrs: Sequence[tuple[str, str | None]]
    ) -> None:
        start, length = self._place, len(self.get_starttag_text() or "")
        one = _Element(tag, dict(attrs), start, start + length)
        if tag == "main":
            self.content = self.content or one.end
        elif tag in ("form", "details", "textarea", "select", "option"):
            self._open[tag].append(one)
        if tag == "form":
            self.forms.append(one)
        elif tag == "option" and self._open["select"]:
            self._open["select"][-1].options.append(one)
        elif tag in ("input", "textarea", "select", "button") and one.name:
            inside = self._open["form"][-1] if self._open["form"] else None
            one.details = [*self._open["details"]]
            self.controls.append((one, one.attrs.get("form") or inside))

    def handle_endtag(self, tag: str) -> None:
        if self._open[tag]:
            self._open[tag].pop().closed = self._place

    def of(self, form: _Element) -> list[_Element]:
        """Return the controls of a form, including those linked by a form attribute."""
        owners = (form, form.attrs.get("id") or form)
        return [one for one, owner in self.controls if owner in owners]


def fill_form(
    page: str, at: str, sent_to: str, fields: Fields
) -> tuple[str, Fields] | None:
    """Fill the form of a page that posts to a URL; return the fields without a control.

    *at* is the URL of the page. Hidden fields are filled too: they hold the version
    that the reader saw. Return None for a page without such a form.
    """
    parsed = _Page(page)
    form = _form_for(parsed, at, sent_to, fields)
    if form is None:
        return None
    values: dict[str, list[str]] = defaultdict(list)
    for name, value in fields:
        values[name].append(value)
    controls = parsed.of(form)
    edits: dict[int, Edit] = {}
    for control in controls:
        for edit in _edits(control, values, page):
            edits[edit[0]] = edit
    for start, end, text in sorted(edits.values(), reverse=True):
        page = page[:start] + text + page[end:]
    known = {control.name for control in controls}
    return page, [(name, value) for name, value in fields if name not in known]


def insert_notice(page: str, notice: str) -> str:
    """Insert a notice at the start of the main element."""
    place = _Page(page).content
    return page[:place] + notice + page[place:] if place else page


def _form_for(page: _Page, at: str, sent_to: str, fields: Fields) -> _Element | None:
    """Return the form for a URL; of several, the one whose hidden fields match best."""
    sent = {(name, value) for name, value in fields}

    def likeness(form: _Element) -> int:
        hidden = {
            (one.name, one.attrs.get("value") or "")
            for one in page.of(form)
            if one.is_hidden and one.name != TOKEN
        }
        return len(hidden & sent)

    path = urlsplit(sent_to).path
    names = {name for name, _value in fields}
    forms = [
        form
        for form in page.forms
        if (form.attrs.get("method") or "").lower() == "post"
        and urlsplit(urljoin(at, form.attrs.get("action") or "")).path == path
        and any(one.name in names for one in page.of(form))
    ]
    return max(forms, key=likeness, default=None)


def _edits(
    control: _Element, values: dict[str, list[str]], page: str
) -> Iterator[Edit]:
    if control.name == TOKEN or control.kind in SKIPPED_TYPES:
        return
    sent = values[control.name]
    if control.kind in CHECKABLE_TYPES:
        is_ticked = (control.attrs.get("value") or "on") in sent
        was_ticked = "checked" in control.attrs
        if is_ticked != was_ticked:
            yield control.again(checked="" if is_ticked else None)
    elif control.tag == "select":
        for option in control.options:
            value = option.attrs.get("value")
            if value is None:
                value = unescape(page[option.end : option.closed]).strip()
            yield option.again(selected="" if value in sent else None)
    elif not sent:
        return
    elif control.tag == "textarea":
        yield control.end, control.closed, "\n" + escape(sent.pop(0))
    else:
        yield control.again(value=sent.pop(0))
    if not control.is_hidden:
        for fold in control.details:
            yield fold.again(open="")
