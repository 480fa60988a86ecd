"""A text that people look members up by: what it may mean."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Self

from django.db.models import Q

from ratings_site.common.database import begins  # noqa: F401 (registers the lookup)
from ratings_site.common.names.nicknames import other_forms
from ratings_site.common.names.slips import ids_a_slip_away, words_a_slip_away
from ratings_site.common.names.sounds import searchable, sound_of

# No name is longer, and a search need not read more words than a name has.
LONGEST_TEXT = 140
MOST_WORDS = 8
# Shorter words and keys sound like half the federation, and are a slip away from it.
SHORTEST_HEARD = 4
SHORTEST_SOUND = 2
# De la Cruz has no more, and no name is looked up among a thousand others.
MOST_JOINED = 3
MOST_CORRECTED = 3
STATE_LENGTH = 2


@dataclass(frozen=True, slots=True)
class Asked:
    """A text to look for: its words without case and accents, and whom they mean."""

    words: tuple[str, ...]

    @classmethod
    def of(cls, text: str) -> Self:
        return cls(tuple(searchable(text[:LONGEST_TEXT]).split()[:MOST_WORDS]))

    @property
    def text(self) -> str:
        return " ".join(self.words)

    @property
    def number(self) -> str:
        """The text, if it may be a member ID or FIDE ID or the beginning of one.

        People write long numbers in groups.
        """
        number = "".join(self.words)
        return number if number.isdecimal() else ""

    @property
    def state(self) -> str:
        """The last word, if a name is before it and it may be a state, as in Lee IL."""
        *before, last = self.words
        return last.upper() if before and len(last) == STATE_LENGTH else ""

    @property
    def name(self) -> "Asked":
        """What is before the state."""
        return Asked(self.words[:-1])

    def is_meant(self) -> Q:
        """Whom the text may mean, with the state behind the name or without one."""
        found = self.is_called_or_alike()
        if self.state:
            found |= Q(state=self.state) & self.name.is_called_or_alike()
        return found

    def is_called_or_alike(self) -> Q:
        if self.number:
            return self.is_called() | self.is_numbered()
        return self.is_called() | self.is_joined() | self.sounds_alike()

    def kinds(self) -> list[Q]:
        """Return whom the text may mean, the likeliest first: as spelled, by nickname.

        Of what sounds alike comes first what begins alike: Schmitz before Cimots.
        """
        found = [self.is_whole_name(), self.is_whole_family_name(), self.is_spelled()]
        found += [self.is_joined(), self.is_called(), self.begins_alike()]
        if self.number:
            found = [self.is_whole_number(), self.is_numbered(), *found]
        return found

    def is_numbered(self) -> Q:
        return Q(member_id__begins=self.number) | Q(fide_id__begins=self.number)

    def is_whole_number(self) -> Q:
        return Q(member_id=self.number) | Q(fide_id=self.number)

    def is_whole_name(self) -> Q:
        return Q(search_name=self.text) | Q(search_given=self.text)

    def is_whole_family_name(self) -> Q:
        return Q(search_name__begins=f"{self.words[0]} ") & self.is_spelled()

    def is_spelled(self) -> Q:
        return self._named([frozenset([word]) for word in self.words])

    def is_called(self) -> Q:
        """The same with nicknames: a search for Bob finds Robert too."""
        return self._named([other_forms(word) | {word} for word in self.words])

    def _named(self, words: list[frozenset[str]]) -> Q:
        return _begins("search_name", words) | _begins("search_given", words)

    def is_joined(self) -> Q:
        """A family name that is one word here and several there: obrien, O'Brien."""
        found = Q()
        for joined, others in self._joinings():
            found |= Q(search_family__begins=joined) & _has_words(others)
        return found

    def _joinings(self) -> Iterator[tuple[str, list[str]]]:
        """Return what may be a family name, as one word, and the words beside it."""
        for first in range(len(self.words)):
            for last in range(first + 1, min(first + MOST_JOINED, len(self.words)) + 1):
                joined = "".join(self.words[first:last])
                yield joined, [*self.words[:first], *self.words[last:]]

    def begins_alike(self) -> Q:
        """A family name with the first letter of one of the words."""
        return _any_of("search_name__begins", {word[0] for word in self.words})

    def sounds_alike(self) -> Q:
        """A family name that sounds like one of the words, and the others somewhere."""
        sounds = [sound_of(word) for word in self.words]
        found = Q()
        for place, sound in enumerate(sounds):
            if len(self.words[place]) < SHORTEST_HEARD or len(sound) < SHORTEST_SOUND:
                continue
            alike = Q(search_sound__begins=f"{sound} ")
            for other in filter(None, sounds[:place] + sounds[place + 1 :]):
                alike &= Q(search_sound__contains=f" {other} ")
            found |= alike
        return found

    def is_a_slip_away(self) -> Q:
        """A family name, or an ID, that one slip of the fingers turns into this."""
        if self.number:
            return Q(member_id__in=ids_a_slip_away(self.number))
        long = [word for word in self.words if len(word) >= SHORTEST_HEARD]
        meant = {slip for word in long[:MOST_CORRECTED] for slip in _with_slips(word)}
        return Q(search_family__in=meant)

    def has_a_word(self) -> Q:
        """One of the words is the family name or begins a word of the name."""
        begun = _any_of("search_name__begins", self.words)
        further = {f" {word}" for word in self.words}
        whole = Q(search_family__in=self.words)
        return whole | begun | _any_of("search_name__contains", further)


def _with_slips(word: str) -> set[str]:
    return words_a_slip_away(word) | {word}


def _begins(column: str, words: list[frozenset[str]]) -> Q:
    """The first word begins the name, each other one begins a word further on.

    Each form of the first word stands by itself, so that an index can find it.
    """
    first, *others = words
    named = Q()
    for word in others:
        named &= _any_of(f"{column}__contains", {f" {form}" for form in word})
    found = Q()
    for form in sorted(first):
        found |= Q(**{f"{column}__begins": form}) & named
    return found


def _has_words(words: Iterable[str]) -> Q:
    """Each word, or what it may stand for, begins a word behind the first."""
    found = Q()
    for word in words:
        forms = {f" {form}" for form in other_forms(word) | {word}}
        found &= _any_of("search_name__contains", forms)
    return found


def _any_of(lookup: str, values: Iterable[str]) -> Q:
    found = Q()
    for value in sorted(values):
        found |= Q(**{lookup: value})
    return found
