"""Names that stand for a bye or for no player, in many languages."""

from __future__ import annotations

import re

from players.formats.text import without_accents


def _phrases(words: str) -> frozenset[str]:
    return frozenset(word.strip() for word in words.split("|"))


# Without accents; digits, punctuation and repeated words are removed before.
_BYES = _phrases(
    """
    bye|byes|a bye|the bye|bye player|player bye|bye round|pairing bye|allocated bye
    |pairing allocated bye|requested bye|free round|sit out|sitting out|odd man out
    |no opponent|no player|no opp|no one|n a|empty seat|odd man
    |spielfrei|freilos|bye descanso|descansando|sin rival|sin oponente|sin pareja
    |sin contrincante|sense rival|senza avversario|sem adversario|vrijgeloot|frirunde
    |frirond|oversittare|oversidder|wolny los|volny los|huilaaja|eronyero|szabadnapos
    |нет соперника|нет пары|轮空|輪空|rundenfrei|aussetzen|setzt aus|kein gegner
    |ohne gegner|kein spieler|sans adversaire|pas d adversaire|sin jugador|bye oneven
    |geen tegenstander|brak przeciwnika|friplats|a riposo|bye folga|no show
    """
)
# Single words that may also be a username on a server or a surname.
_BYES_OR_HANDLES = _phrases(
    """
    free|none|nobody|empty|odd|pausiert|exempt|exempte|exempto|exenta|exento|repos
    |libre|descansa|descanso|riposo|riposa|folga|isento|vrij|oneven|walkover|pauza
    |volno|slobodan|prost|vapaa|bay|свободен|свободна|ρεπο|frei|fri|liber|pauzuje
    |выходнои|пропуск|forfeit|forfait|kampflos|absent|ausente|withdrawn
    """
)
_HALF = _phrases(
    """
    half bye|half point bye|half pt bye|half a point bye|bye half|bye half point|hpb
    |halber punkt|medio punto|bye medio punto|bye de medio punto|medio bye|demi point
    |bye demi point
    """
)
_FULL = _phrases(
    """
    full bye|full point bye|full pt bye|one point bye|one pt bye|bye full|bye full point
    |bye one point|fpb|pab|punto completo|bye de un punto
    """
)
_ZERO = _phrases(
    """
    zero bye|zero point bye|zero pt bye|bye zero|bye zero point|no point bye|zpb
    |bye de cero puntos|unpaired|not paired|no pairing
    """
)
# There may have been an opponent, but the file does not name one.
_UNKNOWN = _phrases(
    """
    nn|nomennescio|vacant|vacante|tbd|tba|unknown|unknownplayer|tobedetermined|anonymous
    |dummy|dummyplayer|ghost|ghostplayer|phantom|filler|unbekannt|desconocido|inconnu
    |sconosciuto
    """
)
_CODES = {
    words: code
    for code, listed in (
        ("H", _HALF),
        ("B", _FULL),
        ("U", _ZERO),
        ("", _BYES | _BYES_OR_HANDLES),
    )
    for words in listed
}
_OF_A_REQUEST = frozenset(("req", "request", "requested", "round"))
_HALVES = re.compile(r"1/2|½|0[.,]5")
_POINTS = re.compile(r"\b([01])(?=[\s-]*(?:points?|pt)\b)")
# "A. Bye" is a person.
_INITIAL = re.compile(r"\b[^\W\d_]\.")
_NUMBER = re.compile(r"[\W_]*0*[1-9]\d*[\W_]*")


def is_no_player(name: str) -> bool:
    """Return whether *name* stands for no player; a pairing number is a player.

    >>> [is_no_player(name) for name in ("N.N.", "Bye #1", "Spielfrei", "--", "0")]
    [True, True, True, True, True]
    >>> [is_no_player(name) for name in ("Ann", "Bye, Ann", "A. Bye", "12")]
    [False, False, False, False]
    """
    words = _words(name)
    if not words:
        return _NUMBER.fullmatch(name) is None
    joined = {"".join(words), "".join(dict.fromkeys(words))}
    return bool(joined & _UNKNOWN) or bye_code(name) is not None


def can_be_username(name: str) -> bool:
    """Return whether a word for a bye may also be the name of a player on a server.

    >>> can_be_username("Libre"), can_be_username("Bye"), can_be_username("Spielfrei")
    (True, False, False)
    """
    return _plain(name) in _BYES_OR_HANDLES


def bye_code(name: str) -> str | None:
    """Return the code of the bye that *name* stands for, None if it stands for none.

    The code is "" for a bye if the name does not state its points.

    >>> [bye_code(name) for name in ("Half-point bye", "(BYE)", "Bye, Ann", "1/2 bye")]
    ['H', '', None, 'H']
    """
    return None if _INITIAL.search(name) else _CODES.get(_plain(name))


def _plain(name: str) -> str:
    words = dict.fromkeys(_words(name))
    if "bye" in words:  # a requested bye, in any order
        words = dict.fromkeys(word for word in words if word not in _OF_A_REQUEST)
    return " ".join(words)


def _words(name: str) -> list[str]:
    text = _HALVES.sub(" half ", name.casefold())
    text = _POINTS.sub(lambda match: " one " if match[1] == "1" else " zero ", text)
    plain = without_accents(text).replace("ł", "l")
    return re.sub(r"[\W\d_]+", " ", plain).split()
