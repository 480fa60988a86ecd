"""Interpretation of a search text for events, clubs and towns."""

import re
from dataclasses import dataclass
from datetime import date
from typing import Self

from django.db.models import Q

import ratings_site.common.db.prefix_lookup
import ratings_site.common.db.word_search  # noqa: F401 (both register lookups)

SHORTEST_TEXT, LONGEST_TEXT = 3, 140
MAX_WORDS = 8
_WORD = re.compile(r"[^\W_]+")
_YEAR = re.compile(r"(?:19|20)[0-9]{2}", re.ASCII)
_STATE = re.compile(r"[A-Za-z]{2}", re.ASCII)
# Too many event IDs begin with a shorter number.
_EVENT_ID = re.compile(r"[0-9]{6,12}", re.ASCII)
_AFFILIATE_ID = re.compile(r"[A-Za-z][0-9]{3,7}", re.ASCII)


@dataclass(frozen=True, slots=True)
class EventSearch:
    """The words of a search text as typed, without punctuation."""

    words: tuple[str, ...]

    @classmethod
    def of(cls, text: str) -> Self:
        return cls(tuple(_WORD.findall(text[:LONGEST_TEXT])[:MAX_WORDS]))

    @property
    def is_long_enough(self) -> bool:
        """Return whether the text can be searched for; two letters match too much."""
        return len("".join(self.words)) >= SHORTEST_TEXT

    @property
    def event_id(self) -> str:
        """Return the text if it may be an event ID or the beginning of one."""
        joined = "".join(self.words)
        return joined if _EVENT_ID.fullmatch(joined) else ""

    @property
    def affiliate_id(self) -> str:
        joined = "".join(self.words).upper()
        return joined if _AFFILIATE_ID.fullmatch(joined) else ""

    @property
    def state(self) -> str:
        """Return the last word if others precede it and it may be a state."""
        *before, last = self.words
        return last.upper() if before and _STATE.fullmatch(last) else ""

    @property
    def year(self) -> int:
        """Return the last word if others precede it and it is a year, else 0."""
        *before, last = self.words
        return int(last) if before and _YEAR.fullmatch(last) else 0

    def event_filter(self) -> Q:
        found = Q(search_text__has_words=self.words)
        if self.event_id:
            found |= Q(event_id__has_prefix=self.event_id)
        name = Q(search_text__has_words=self.words[:-1])
        if self.state:
            found |= name & Q(state=self.state)
        if self.year:
            days = (date(self.year, 1, 1), date(self.year, 12, 31))
            found |= name & Q(ends__range=days)
        return found

    def club_filter(self) -> Q:
        """Filter affiliates with their name annotated as ``capitals``."""
        found = Q(capitals__has_words=self.words)
        if self.affiliate_id:
            found |= Q(affiliate_id__has_prefix=self.affiliate_id)
        if self.state:
            found |= Q(state=self.state, capitals__has_words=self.words[:-1])
        return found

    def town_filter(self) -> Q:
        """Filter events with their city annotated as ``capitals``, by its beginning."""
        found = self._town_filter(self.words)
        if self.state:
            found |= self._town_filter(self.words[:-1]) & Q(state=self.state)
        return found

    @staticmethod
    def _town_filter(words: tuple[str, ...]) -> Q:
        return Q(capitals__begins_with=" ".join(words))
