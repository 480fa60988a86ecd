"""Words in files of members: statuses, genders, names with more than a name in them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import NamedTuple

from players.formats.errors import InputRefused
from players.formats.text import unescape_entities

NO_EXPIRY = date(9999, 12, 31)

# Cells that stand for a blank one.
_BLANK_WORDS = (
    *("n/a", "na", "#n/a", "none", "null", "nil", "nan", "unknown", "not known"),
    *("-", "--", "---", ".", "?", "??", "0000-00-00", "00/00/0000", "(blank)"),
    *("not available", "not given", "refused", "tbd", "foreign"),
)
BLANK_SPELLINGS = frozenset(
    spelling
    for word in _BLANK_WORDS
    for spelling in (word, word.upper(), word.title(), word.capitalize())
)
GENDERS = {
    **dict.fromkeys(["F", "FEMALE", "W", "WOMAN", "GIRL"], "F"),
    **dict.fromkeys(["MS", "MRS", "MISS", "MUJER", "FEMENINO", "WEIBLICH"], "F"),
    **dict.fromkeys(["M", "MALE", "MAN", "BOY", "MR", "HOMBRE", "MASCULINO"], "M"),
    **dict.fromkeys(["MÄNNLICH"], "M"),
    **dict.fromkeys(["", "X", "U", "N", "O", "OTHER", "NOT STATED", "D", "DIVERS"], ""),
    **dict.fromkeys(["NB", "NON-BINARY", "NONBINARY", "NON BINARY", "MX"], ""),
    **dict.fromkeys(["PREFER NOT TO SAY", "DECLINE", "DECLINED", "UNSPECIFIED"], ""),
}
# "Expired" means that the membership has ended, which its last day also says. Other
# words, such as Lapsed or Pending, have one meaning here and another one there.
STATUSES = {
    "": "",
    **dict.fromkeys(["ACTIVE", "CURRENT", "EXPIRED", "MEMBER"], "active"),
    **dict.fromkeys(["LIFE", "LIFE MEMBER", "LIFETIME"], "active"),
    **dict.fromkeys(["INACTIVE", "NOT ACTIVE"], "inactive"),
    **dict.fromkeys(["DECEASED", "DIED", "DEAD"], "deceased"),
    **dict.fromkeys(["SUSPENDED"], "suspended"),
    **dict.fromkeys(["REVOKED", "MEMBERSHIP REVOKED"], "revoked"),
}
DUPLICATE_STATUSES = ("DUPLICATE", "DUPLICATEID", "DUPLICATE ID", "MERGED")
# In the column of the last day, and as type or status of a membership without one.
LIFE_WORDS = frozenset(
    [
        *("NEVER", "NEVER EXPIRES", "NO EXPIRATION", "DOES NOT EXPIRE", "PERMANENT"),
        *("LIFE", "LIFE MEMBER", "LIFETIME", "INDEFINITE", "PERPETUAL"),
    ]
)
LIFE_TYPES = frozenset(
    ["LIFE", "LIFE MEMBER", "LIFE MEMBERSHIP", "LIFETIME", "LIFETIME MEMBER"]
)

_SUFFIXES = {"JR": "Jr", "SR": "Sr", "II": "II", "III": "III", "IV": "IV"}
_SUFFIX = re.compile(r"[,\s]+(JR|SR|II|III|IV)\.?\s*$", re.IGNORECASE)
# Anything in a name that is not part of a name; most names are searched once.
_ODD = re.compile(
    r"[*†‡&/+]|\b(?:JR|SR|I{2,3}|IV|DECEASED|DEC'?D|DIED|R\.?I\.?P|DUP|DUPE|DUPLICATE|"
    r"MERGED|DO NOT USE|AND)\b",
    re.IGNORECASE,
)
_DECEASED = re.compile(
    r"[\s,(\[*-]*\b(?:DECEASED|DEC'?D|DIED|R\.?I\.?P)\b[\s)\].*]*", re.IGNORECASE
)
_DUPLICATE = re.compile(
    r"[\s,(\[*-]*\b(?:DUP|DUPE|DUPLICATE|MERGED|DO NOT USE)\b(?: (?:OF|WITH|INTO))?"
    r"[\s:#]*[0-9]*[\s)\].*]*",
    re.IGNORECASE,
)
_TWO_PEOPLE = re.compile(r"\w\s*(?:&|\+|/|\bAND\b)\s*\w", re.IGNORECASE)
_STRAY = re.compile(r"[*†‡]+|\s*[&/+]\s*$")

# Answers of a person to questions about names.
AS_DECEASED, WITHOUT_WORD, LAST_WORD = "deceased", "without", "last_word"


@dataclass(frozen=True, slots=True)
class Answers:
    """What a person has said about a file.

    *words* are statuses by their words in capitals, *fixes* what to do about a kind of
    fault.
    """

    words: Mapping[str, str] = field(default_factory=dict)
    fixes: Mapping[str, str] = field(default_factory=dict)


NO_ANSWERS = Answers()


class SplitName(NamedTuple):
    given: str
    family: str
    suffix: str
    status: str = ""


def split_name(values: Mapping[str, str], answers: Answers) -> SplitName:
    """Return the parts of a name, and the status that it says; refuse what is unclear.

    >>> split_name({"name": "Adams, Ada M JR"}, Answers())
    SplitName(given='Ada M', family='Adams', suffix='Jr', status='')
    """
    given, family = values.get("given_name", ""), values.get("family_name", "")
    whole = "" if family else values.get("name", "")
    status = ""
    if "&" in given + family + whole:
        given, family, whole = map(unescape_entities, (given, family, whole))
    if _ODD.search(f"{given} {family} {whole}"):
        status = _status_of(f"{given} {family} {whole}", answers)
        given, family, whole = map(_without_words, (given, family, whole))
        for text in (given, family, whole):
            if _TWO_PEOPLE.search(text):
                raise InputRefused("name_of_two", cell=text[:60])
    if whole:
        family, given = _parted(whole, answers)
    suffix = values.get("suffix", "")
    if not suffix:
        given, suffix = _without_suffix(given)
        family, of_family = _without_suffix(family)
        suffix = suffix or of_family
    if middle := values.get("middle_name", ""):
        given = f"{given} {middle}"
    return SplitName(given.strip(), family.strip(), suffix, status)


def _status_of(name: str, answers: Answers) -> str:
    cell = " ".join(name.split())[:60]
    status = ""
    if _DECEASED.search(name):
        answer = answers.fixes.get("name_says_deceased")
        if not answer:
            raise InputRefused("name_says_deceased", cell=cell)
        status = "deceased" if answer == AS_DECEASED else ""
    if _DUPLICATE.search(name) and "name_says_duplicate" not in answers.fixes:
        raise InputRefused("name_says_duplicate", cell=cell)
    return status


def _without_words(text: str) -> str:
    for shape in (_DECEASED, _DUPLICATE, _STRAY):
        text = shape.sub(" ", text)
    return text.strip(" ,")


def _parted(name: str, answers: Answers) -> tuple[str, str]:
    """Return family name and given name; a suffix may stand between them."""
    family, comma, given = (part.strip() for part in name.partition(","))
    if comma:
        second, comma, rest = (part.strip() for part in given.partition(","))
        if comma and second.upper().rstrip(".") in _SUFFIXES:
            return f"{family} {second}", rest
        return family, " ".join(filter(None, (second, rest)))
    if answers.fixes.get("name_without_comma") == LAST_WORD:
        name, suffix = _without_suffix(name)
        given, _, family = name.rpartition(" ")
        return f"{family} {suffix}".strip(), given
    raise InputRefused("name_without_comma", cell=name[:60])


def _without_suffix(name: str) -> tuple[str, str]:
    if found := _SUFFIX.search(name):
        return name[: found.start()], _SUFFIXES[found[1].upper()]
    return name, ""


def first_email(text: str) -> tuple[str, bool]:
    """Return the first of several addresses, and whether there are others.

    >>> first_email("a@x.example; b@x.example"), first_email("Ada <ada@x.example>")
    (('a@x.example', True), ('ada@x.example', False))
    """
    found = [
        part.rpartition("<")[2].removeprefix("mailto:").strip(" >.")
        for part in re.split(r"[,;\s/]+", text)
        if "@" in part
    ]
    return (found[0], len(found) > 1) if found else ("", False)
