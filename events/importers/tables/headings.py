"""What the headings of a results table mean, in the many ways people write them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from events.importers.sentences import say


class Column(StrEnum):
    """What a column of a crosstable or a game list holds."""

    NUMBER = "number"
    RANK = "rank"
    MEMBER_ID = "member_id"
    NAME = "name"
    FAMILY_NAME = "family_name"
    GIVEN_NAME = "given_name"
    STATE = "state"
    RATING = "rating"
    RATING_AFTER = "rating_after"
    FIDE_ID = "fide_id"
    FIDE_RATING = "fide_rating"
    CFC_ID = "cfc_id"
    CFC_RATING = "cfc_rating"
    ROUND_RESULT = "round_result"
    SECTION = "section"
    ROUND = "round"
    WHITE = "white"
    WHITE_ID = "white_id"
    BLACK = "black"
    BLACK_ID = "black_id"
    RESULT = "result"


# What the form that asks for the meaning of columns offers.
COLUMN_WORDS: dict[Column, str] = {
    Column.NUMBER: "Pairing number",
    Column.MEMBER_ID: "Member ID",
    Column.NAME: "Name",
    Column.FAMILY_NAME: "Family name",
    Column.GIVEN_NAME: "Given name",
    Column.STATE: "State",
    Column.RATING: "Rating",
    Column.RATING_AFTER: "Rating after the event",
    Column.ROUND_RESULT: "Result of a round, such as W12",
    Column.ROUND: "Game list: number of the round",
    Column.WHITE: "Game list: White, by name, member ID or number",
    Column.WHITE_ID: "Game list: White’s member ID",
    Column.BLACK: "Game list: Black, by name, member ID or number",
    Column.BLACK_ID: "Game list: Black’s member ID",
    Column.RESULT: "Game list: result of the game",
    Column.SECTION: "Section",
}

_SPELLINGS: dict[Column, str] = {
    Column.NUMBER: "#, no, nr, num, number, pair, pair no, pair num, pair number, "
    "pairing no, pairing number, pairing, pno, pnum, player no, player number, sno, "
    "start no, starting no, seed, ord, numero, start nr, startnr, snr, tnr, no ini, "
    "start number, starting number, startnummer",
    Column.RANK: "rank, place, pl, pos, position, rk, standing, rg, rang, rng, platz",
    Column.MEMBER_ID: "id, member id, memberid, mem id, memid, member, member no, "
    "member number, uscf, uscf id, uscfid, uscf no, us chess, us chess id, uschess, "
    "uschess id, us chess number, federation id, id no, id number, id de miembro",
    Column.NAME: "name, player, player name, players, full name, playername, nombre, "
    "name of player, jugador, last name first name, name rating id, place name, "
    "# name, # place name, no name, pl name, rank name, nom",
    Column.FAMILY_NAME: "last name, lastname, surname, family name, last, apellido",
    Column.GIVEN_NAME: "first name, firstname, given name, forename, first",
    Column.STATE: "state, st, state rep, estado, province",
    Column.RATING: "rating, rtg, rat, rate, elo, pre, pre rating, pre rtg, start rating"
    ", rating before, old rating, uscf rating, us chess rating, reg rating, rtgn",
    Column.RATING_AFTER: "rating after, post, post rating, post rtg, new rating, "
    "new rtg, end rating",
    Column.FIDE_ID: "fide id, fideid, fide no, fide number",
    Column.FIDE_RATING: "fide rating, fide rtg, fide elo, fide, rtgi, eloi",
    Column.CFC_ID: "cfc id, cfc no, cfc number",
    Column.CFC_RATING: "cfc rating, cfc rtg, cfc",
    Column.SECTION: "section, section name, sec, division, group, seccion",
    Column.ROUND: "round, rd, rnd, round no, round number, ronda",
    Column.WHITE: "white, white name, white player, whites, blancas, player white",
    Column.WHITE_ID: "white id, white member id, white uscf id, id white, whiteid",
    Column.BLACK: "black, black name, black player, blacks, negras, player black",
    Column.BLACK_ID: "black id, black member id, black uscf id, id black, blackid",
    Column.RESULT: "result, res, score, outcome, game result, resultado",
}
_MEANING = {
    spelling.strip(): column
    for column, spellings in _SPELLINGS.items()
    for spelling in spellings.split(",")
}
_LONGEST_HEADING = 40
_ROUND = re.compile(
    r"(?:(?:rd|rnd|round|r|ronda|runde|ronde)? ?0*(?P<behind>[1-9][0-9]?)"
    r"|(?P<before>[1-9][0-9]?) ?(?:st|nd|rd|th)? ?(?:rd|rnd|round|ronda|runde|ronde))",
    re.ASCII,
)


@dataclass(frozen=True, slots=True)
class Heading:
    """What one column holds; a result column has the number of its round."""

    column: Column | None
    round_number: int = 0


def plain(text: str) -> str:
    """Return *text* as it is compared: small letters and digits, single blanks.

    >>> plain("  Member-ID: "), plain("#"), plain("Rd. 3")
    ('member id', '#', 'rd 3')
    """
    letters = unicodedata.normalize("NFKD", text.casefold())
    kept = "".join(
        char if char.isalnum() or char == "#" else " "
        for char in letters
        if not unicodedata.combining(char)
    )
    return " ".join(kept.split())


@lru_cache(maxsize=4096)
def heading_of(text: str) -> Heading:
    """Return what a heading means; column None if it is not known.

    >>> heading_of("USCF ID").column, heading_of("Rd. 3").round_number
    (<Column.MEMBER_ID: 'member_id'>, 3)
    >>> [heading_of(text).round_number for text in ("1.Rd", "2.Runde", "3rd Round")]
    [1, 2, 3]
    """
    words = plain(text) if len(text) <= _LONGEST_HEADING else ""
    if column := _MEANING.get(words):
        return Heading(column)
    if match := _ROUND.fullmatch(words):
        return Heading(Column.ROUND_RESULT, int(match["behind"] or match["before"]))
    return Heading(None)


def headings_of(row: Sequence[str]) -> tuple[Heading, ...]:
    """Return what the headings of *row* mean.

    "Round 1" and "1" can only be told from values beside a heading in words, so digits
    alone mean nothing in a row without one.
    """
    headings = tuple(heading_of(text) for text in row)
    if any(heading.column not in (None, Column.ROUND_RESULT) for heading in headings):
        return headings
    return tuple(Heading(None) for _ in headings)


def missing_columns(headings: Sequence[Heading]) -> list[str]:
    """Return in words what a table still lacks; nothing if it can be read.

    >>> missing_columns(headings_of(["Name", "Team"]))
    ['Result of each round']
    """
    there = {heading.column for heading in headings}
    if there & {Column.WHITE, Column.BLACK, Column.WHITE_ID, Column.BLACK_ID}:
        return _missing_of_games(there)
    missing: list[str] = []
    if not there & {Column.NAME, Column.MEMBER_ID, Column.FAMILY_NAME}:
        missing.append(say("Name or member ID"))
    if Column.ROUND_RESULT not in there:
        missing.append(say("Result of each round"))
    return missing


def _missing_of_games(there: set[Column | None]) -> list[str]:
    missing: list[str] = [] if Column.ROUND in there else [say("Round")]
    if not there & {Column.WHITE, Column.WHITE_ID}:
        missing.append(say("White"))
    if not there & {Column.BLACK, Column.BLACK_ID}:
        missing.append(say("Black"))
    if Column.RESULT not in there:
        missing.append(say("Result"))
    return missing


def is_game_list(headings: Sequence[Heading]) -> bool:
    there = {heading.column for heading in headings}
    return bool(there & {Column.WHITE, Column.WHITE_ID})
