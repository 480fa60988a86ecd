"""How hard a text is to read: its Flesch-Kincaid grade, a school year in the US.

The grade is 0.39 × words per sentence + 11.8 × syllables per word − 15.59 (Kincaid
and others, 1975). A semicolon or a colon ends a sentence, as in Flesch's own count.

Syllables are groups of vowels, with three corrections: a silent "e", "es" or "ed" at
the end is none; "ia", "io" and "iu" are two unless "c", "g", "s" or "t" comes before,
and so are vowels around a "y"; each word has at least one. Names, numbers,
abbreviations and placeholders have one, because a writer can't choose shorter ones.
"""

import re

# In them the formula is noise.
MIN_WORDS = 12

_PLACEHOLDER = re.compile(r"%\(\w+\)[sd]|(?<!\$)\{\w[^{}]*\}")
_TAG = re.compile(r"<[^>]*>|\{%.*?%\}|&\w+;|`[^`]*`|https?://\S+")
_ENDS = re.compile(r"[.!?:;…]+[”\"')]*(?:\s+|$)")
_WORD = re.compile(r"[^\W_][\w'’./-]*")
_NAME = re.compile(r"[A-Z0-9]|.*[\d_./]")
_SILENT = re.compile(r"(?:(?<=[^aeiouyl])|(?<=[aeiouy]l))e$|(?<=[^aeiouydt])ed$")
_SILENT_ES = re.compile(r"(?<=[^aeiouycghslxz])es$")
_TWO = re.compile(r"(?<![cgst])i[aou]|[aeou]y[aeiou]")


def syllables(word: str) -> int:
    """Return about how many syllables an English word has.

    >>> [syllables(word) for word in ("game", "table", "rated", "checked", "period")]
    [1, 2, 2, 1, 3]
    """
    word = word.lower()
    word = _SILENT_ES.sub("", _SILENT.sub("", word))
    return max(1, len(re.findall("[aeiouy]+", word)) + len(_TWO.findall(word)))


def grade(text: str) -> float:
    """Return the Flesch-Kincaid grade of *text*; 0 if it has only a few words."""
    text = _TAG.sub(" ", _PLACEHOLDER.sub("it", text))
    sentences = [words for part in _ENDS.split(text) if (words := _WORD.findall(part))]
    words = sum(map(len, sentences))
    if words < MIN_WORDS:
        return 0.0
    sounds = sum(map(_prepared_words, sentences))
    return 0.39 * words / len(sentences) + 11.8 * sounds / words - 15.59


def _prepared_words(sentence: list[str]) -> int:
    """Count a sentence's syllables; only its first word has a capital and no name."""
    first, *others = sentence
    return (1 if _NAME.match(first.lower()) else _of_parts(first)) + sum(
        1 if _NAME.match(word) else _of_parts(word) for word in others
    )


def _of_parts(word: str) -> int:
    return sum(map(syllables, re.findall(r"[^\W\d_]+(?:['’]\w+)?", word)))
