"""The member search: parses a text and builds its filters."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Self

from django.db.models import Q

from players.formats.member_ids import MEMBER_ID
from ratings_site.common.db import prefix_lookup  # noqa: F401 (registers the lookup)
from ratings_site.common.names.nicknames import other_forms
from ratings_site.common.names.phonetics import phonetic_key, searchable
from ratings_site.common.names.typos import ids_one_typo_away, words_one_typo_away

# Limits on the length and the words of a search; no name is longer.
LONGEST_TEXT = 140
MAX_WORDS = 8
# Shorter words and keys match too many names by sound or with a typo.
MIN_PHONETIC_WORD = 4
MIN_PHONETIC_KEY = 2
# Enough for De la Cruz, and few enough to keep the query small.
MAX_JOINED_WORDS = 3
MAX_TYPO_WORDS = 3
STATE_LENGTH = 2


@dataclass(frozen=True, slots=True)
class MemberSearch:
    """A search text: its words without case and accents, and its filters."""

    words: tuple[str, ...]

    @classmethod
    def parse(cls, text: str) -> Self:
        return cls(tuple(searchable(text[:LONGEST_TEXT]).split()[:MAX_WORDS]))

    @property
    def text(self) -> str:
        return " ".join(self.words)

    @property
    def number(self) -> str:
        """Return the text if it may be a member ID or FIDE ID, or a prefix of one.

        Long numbers may be written in groups.
        """
        number = "".join(self.words).upper()
        is_number = number.isdecimal() or MEMBER_ID.whole.fullmatch(number)
        return number if is_number else ""

    @property
    def state(self) -> str:
        """Return the last word if it may be a state after a name, as in Lee IL."""
        *before, last = self.words
        return last.upper() if before and len(last) == STATE_LENGTH else ""

    @property
    def name(self) -> "MemberSearch":
        """Return the search without the state."""
        return MemberSearch(self.words[:-1])

    def all_matches(self) -> Q:
        """Match the text, with the state after the name or without one."""
        found = self.name_matches()
        if self.state:
            found |= Q(state=self.state) & self.name.name_matches()
        return found

    def name_matches(self) -> Q:
        if self.number:
            return self.nickname_matches() | self.id_prefix()
        return (
            self.nickname_matches()
            | self.joined_family_name()
            | self.phonetic_matches()
        )

    def ranked_matches(self) -> list[Q]:
        """Return the filters, best matches first: as spelled, by nickname, by sound.

        Names that sound alike rank higher with the same initial: Schmitz before Cimots.
        """
        found = [self.exact_name(), self.exact_family_name(), self.name_prefix()]
        found += [
            self.joined_family_name(),
            self.nickname_matches(),
            self.same_initial(),
        ]
        if self.number:
            found = [self.exact_id(), self.id_prefix(), *found]
        return found

    def id_prefix(self) -> Q:
        return Q(member_id__has_prefix=self.number) | Q(fide_id__has_prefix=self.number)

    def exact_id(self) -> Q:
        return Q(member_id=self.number) | Q(fide_id=self.number)

    def exact_name(self) -> Q:
        return Q(search_name=self.text) | Q(search_given=self.text)

    def exact_family_name(self) -> Q:
        return Q(search_name__has_prefix=f"{self.words[0]} ") & self.name_prefix()

    def name_prefix(self) -> Q:
        return self._name_q([frozenset([word]) for word in self.words])

    def nickname_matches(self) -> Q:
        """Match also by nickname: a search for Bob finds Robert."""
        return self._name_q([other_forms(word) | {word} for word in self.words])

    def _name_q(self, words: list[frozenset[str]]) -> Q:
        return _prefix_q("search_name", words) | _prefix_q("search_given", words)

    def joined_family_name(self) -> Q:
        """Match a family name written as one word or as several: obrien, O'Brien."""
        found = Q()
        for joined, others in self._joined_words():
            found |= Q(search_family__has_prefix=joined) & _words_q(others)
        return found

    def _joined_words(self) -> Iterator[tuple[str, list[str]]]:
        """Yield each possible family name as one word, and the remaining words."""
        for first in range(len(self.words)):
            for last in range(
                first + 1, min(first + MAX_JOINED_WORDS, len(self.words)) + 1
            ):
                joined = "".join(self.words[first:last])
                yield joined, [*self.words[:first], *self.words[last:]]

    def same_initial(self) -> Q:
        """Match a family name with the initial of one of the words."""
        return _any_q("search_name__has_prefix", {word[0] for word in self.words})

    def phonetic_matches(self) -> Q:
        """Match one word with a family name by sound, and the others anywhere."""
        sounds = [phonetic_key(word) for word in self.words]
        found = Q()
        for place, sound in enumerate(sounds):
            if (
                len(self.words[place]) < MIN_PHONETIC_WORD
                or len(sound) < MIN_PHONETIC_KEY
            ):
                continue
            alike = Q(search_sound__has_prefix=f"{sound} ")
            for other in filter(None, sounds[:place] + sounds[place + 1 :]):
                alike &= Q(search_sound__contains=f" {other} ")
            found |= alike
        return found

    def typo_matches(self) -> Q:
        """Match a family name, or an ID, that is one typo away."""
        if self.number:
            return Q(member_id__in=ids_one_typo_away(self.number, MEMBER_ID.places))
        long = [word for word in self.words if len(word) >= MIN_PHONETIC_WORD]
        meant = {*long[:MAX_TYPO_WORDS]}
        for word in long[:MAX_TYPO_WORDS]:
            meant |= words_one_typo_away(word)
        return Q(search_family__in=meant)

    def word_matches(self) -> Q:
        """Match one word as family name, or as the prefix of a word of the name."""
        begun = _any_q("search_name__has_prefix", self.words)
        further = {f" {word}" for word in self.words}
        whole = Q(search_family__in=self.words)
        return whole | begun | _any_q("search_name__contains", further)


def _prefix_q(column: str, words: list[frozenset[str]]) -> Q:
    """Match the first word at the start of the name, each other one at a later word.

    Each form of the first word is a separate condition, so that an index can be used.
    """
    first, *others = words
    named = Q()
    for word in others:
        named &= _any_q(f"{column}__contains", {f" {form}" for form in word})
    found = Q()
    for form in sorted(first):
        found |= Q(**{f"{column}__has_prefix": form}) & named
    return found


def _words_q(words: Iterable[str]) -> Q:
    """Match each word, or its variants, at the start of a word after the first."""
    found = Q()
    for word in words:
        forms = {f" {form}" for form in other_forms(word) | {word}}
        found &= _any_q("search_name__contains", forms)
    return found


def _any_q(lookup: str, values: Iterable[str]) -> Q:
    found = Q()
    for value in sorted(values):
        found |= Q(**{lookup: value})
    return found
