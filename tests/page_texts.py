"""The visible text of a page, and dates in foreign formats."""

import re
from html.parser import HTMLParser

_MONTH = (
    r"(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|"
    r"Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)\.?"
)
_NOT_AMERICAN = re.compile(
    rf"\b\d{{1,2}} {_MONTH},? \d{{4}}\b|\b\d{{1,2}}:\d\d\b(?!:|\s?[AP]M\b)"
)
_ENGLISH_MONTH = re.compile(rf"\b{_MONTH} (?:\d{{1,2}}, )?\d{{4}}\b")
VISIBLE_ATTRIBUTES = {"aria-label", "title", "placeholder", "alt", "data-label"}
VOID_ELEMENTS = {"meta", "link", "img", "input", "br", "hr", "wbr", "col", "source"}
HIDDEN_ELEMENTS = {"script", "style", "textarea", "code", "pre", "template", "math"}


class Texts(HTMLParser):
    """The visible text of a page, without parts marked as English."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[tuple[str, bool]] = []
        self.found: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag, attrs) -> None:
        self.found += [
            text for name, text in attrs if name in VISIBLE_ATTRIBUTES and text
        ]
        if tag not in VOID_ELEMENTS:
            english = dict(attrs).get("lang") == "en"
            self.open.append((tag, english or tag in HIDDEN_ELEMENTS))

    def handle_endtag(self, tag) -> None:
        while self.open and self.open.pop()[0] != tag:
            pass

    def handle_data(self, data) -> None:
        text = " ".join(data.split())
        if text and not any(hidden for _, hidden in self.open):
            self.found.append(text)


def not_american(page: str) -> set[str]:
    """Return the texts of an English page with a day first, or a time of 24 hours."""
    return {text for text in Texts(page).found if _NOT_AMERICAN.search(text)}


def not_spanish(page: str) -> set[str]:
    """Return the texts of a Spanish page with a date in English."""
    return {text for text in Texts(page).found if _ENGLISH_MONTH.search(text)}
