"""The possible answers to each kind of fault, which import its rows."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext_lazy as _

from players.formats.errors import STATUS_UNKNOWN
from players.formats.member_words import AS_DECEASED, LAST_WORD, WITHOUT_WORD
from players.formats.members import LEAVE_BLANK
from players.models import ImportWord, Intake

_BLANK = {LEAVE_BLANK: _("Leave the field blank")}
_WITHOUT = {WITHOUT_WORD: _("Import them without this word")}
ANSWERS: Mapping[str, Mapping[str, Any]] = {
    "name_says_deceased": {
        AS_DECEASED: _("Import these members as deceased"),
        **_WITHOUT,
    },
    "name_says_duplicate": _WITHOUT,
    "name_without_comma": {LAST_WORD: _("The last word is the family name")},
    "no_member_id:guardian_id": _BLANK,
    "no_day": _BLANK,
    "year_of_two_digits": _BLANK,
    "birth_date_too_early": _BLANK,
    "birth_date_to_come": _BLANK,
    "birth_year_impossible": _BLANK,
    "membership_without_end": _BLANK,
    "membership_ends_before_it_starts": _BLANK,
    "no_country": _BLANK,
    "state_unknown": _BLANK,
    "no_fide_id": _BLANK,
}
_AS_IT_IS = "as_it_is"


def answers_to(kind: str) -> Mapping[str, Any]:
    """Return the possible answers to a kind of fault; none if it needs another file."""
    code, _colon, word = kind.partition(":")
    if code == STATUS_UNKNOWN:
        meanings = ImportWord.Meaning.choices if word else []
        return {value or _AS_IT_IS: label for value, label in meanings}
    return ANSWERS.get(kind) or ANSWERS.get(code, {})


def remembered_words() -> dict[str, str]:
    """Return the answers about status words that earlier files were given, by kind."""
    words = ImportWord.objects.values_list("word", "meaning")
    return {f"{STATUS_UNKNOWN}:{word}": meaning or _AS_IT_IS for word, meaning in words}


def by_frequency(intake: Intake) -> list[tuple[str, Mapping[str, Any]]]:
    """Return the kinds of faults, the most frequent first.

    PostgreSQL keeps no order of keys.
    """
    return sorted(intake.faults.items(), key=lambda one: (-one[1]["count"], one[0]))


def questions_of(intake: Intake) -> dict[str, Mapping[str, Any]]:
    """Return the faults that can be answered, by kind: those of members."""
    if intake.kind != Intake.Kind.MEMBERS:
        return {}
    return {
        kind: fault
        for kind, fault in by_frequency(intake)
        if fault["rows"] and not fault["blank"] and answers_to(kind)
    }


def fixes_and_words(
    answers: Mapping[str, str],
) -> tuple[dict[str, str], dict[str, str]]:
    """Return the answers for this file, and the meanings of words for all files."""
    fixes, words = {}, {}
    for kind, answer in answers.items():
        code, _colon, word = kind.partition(":")
        if answer and code == STATUS_UNKNOWN:
            words[word] = "" if answer == _AS_IT_IS else answer
        elif answer:
            fixes[kind] = answer
    return fixes, words
