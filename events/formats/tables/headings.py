"""Recognize the headings of a results table in their many spellings."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from events.formats.translatable_text import translatable
from players.formats.text import without_accents


class Column(StrEnum):
    """The kinds of columns in a crosstable or a game list."""

    NUMBER = "number"
    RANK = "rank"
    MEMBER_ID = "member_id"
    LOCAL_ID = "local_id"
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
    COLORS = "colors"
    SECTION = "section"
    ROUND = "round"
    WHITE = "white"
    WHITE_ID = "white_id"
    BLACK = "black"
    BLACK_ID = "black_id"
    RESULT = "result"


# The choices of the form that asks for the meaning of columns.
COLUMN_LABELS: dict[Column, str] = {
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
    Column.LOCAL_ID: "loc id, locid, local id, nat id, national id",
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
    Column.COLORS: "colors, color, col, colores, farben, farbe, couleurs, colori",
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
_MAX_HEADING_LENGTH = 40
_ROUND = re.compile(
    r"(?:(?:rd|rnd|round|r|ronda|runde|ronde)? ?0*(?P<behind>[1-9][0-9]?)"
    r"|(?P<before>[1-9][0-9]?) ?(?:st|nd|rd|th)? ?(?:rd|rnd|round|ronda|runde|ronde))",
    re.ASCII,
)


@dataclass(frozen=True, slots=True)
class Heading:
    """The meaning of one column; a result column has the number of its round."""

    column: Column | None
    round_number: int = 0


def normalize_text(text: str) -> str:
    """Return *text* for comparison: lowercase letters, digits and single spaces.

    >>> normalize_text("  Member-ID: "), normalize_text("#"), normalize_text("Rd. 3")
    ('member id', '#', 'rd 3')
    """
    letters = without_accents(text.casefold())
    kept = "".join(char if char.isalnum() or char == "#" else " " for char in letters)
    return " ".join(kept.split())


@lru_cache(maxsize=4096)
def parse_heading(text: str) -> Heading:
    """Return the meaning of a heading; its column is None if it is unknown.

    >>> parse_heading("USCF ID").column, parse_heading("Rd. 3").round_number
    (<Column.MEMBER_ID: 'member_id'>, 3)
    >>> [parse_heading(text).round_number for text in ("1.Rd", "2.Runde", "3rd Round")]
    [1, 2, 3]
    """
    words = normalize_text(text) if len(text) <= _MAX_HEADING_LENGTH else ""
    words = words.replace("colour", "color")
    if column := _MEANING.get(words):
        return Heading(column)
    if match := _ROUND.fullmatch(words):
        return Heading(Column.ROUND_RESULT, int(match["behind"] or match["before"]))
    return Heading(None)


def parse_headings(row: Sequence[str]) -> tuple[Heading, ...]:
    """Return the meanings of the headings of *row*.

    Digits alone may be values, so they are headings only in a row that also has a
    heading in words.
    """
    headings = tuple(parse_heading(text) for text in row)
    if any(heading.column not in (None, Column.ROUND_RESULT) for heading in headings):
        return headings
    return tuple(Heading(None) for _ in headings)


def missing_columns(headings: Sequence[Heading]) -> list[str]:
    """Return the labels of missing columns; none if the table can be read.

    >>> missing_columns(parse_headings(["Name", "Team"]))
    ['Result of each round']
    """
    there = {heading.column for heading in headings}
    if there & {Column.WHITE, Column.BLACK, Column.WHITE_ID, Column.BLACK_ID}:
        return _missing_game_columns(there)
    missing: list[str] = []
    if not there & {Column.NAME, Column.MEMBER_ID, Column.FAMILY_NAME}:
        missing.append(translatable("Name or member ID"))
    if Column.ROUND_RESULT not in there:
        missing.append(translatable("Result of each round"))
    return missing


def _missing_game_columns(there: set[Column | None]) -> list[str]:
    missing: list[str] = [] if Column.ROUND in there else [translatable("Round")]
    if not there & {Column.WHITE, Column.WHITE_ID}:
        missing.append(translatable("White"))
    if not there & {Column.BLACK, Column.BLACK_ID}:
        missing.append(translatable("Black"))
    if Column.RESULT not in there:
        missing.append(translatable("Result"))
    return missing


def is_game_list(headings: Sequence[Heading]) -> bool:
    there = {heading.column for heading in headings}
    return bool(there & {Column.WHITE, Column.WHITE_ID})
