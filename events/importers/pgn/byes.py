"""Names that stand for a bye or for no player, in many languages."""

from __future__ import annotations

import re
import unicodedata


def _listed(words: str) -> frozenset[str]:
    return frozenset(word.strip() for word in words.split("|"))


# Without accents; digits, marks and the word itself repeated are taken away before.
_BYES = _listed(
    """
    bye|byes|a bye|the bye|free|free round|sit out|sitting out|no opponent|no player
    |no opp|none|nobody|no one|empty|unpaired|not paired|odd|odd man out|pairing bye
    |pairing allocated bye|allocated bye|requested bye|bye player|player bye|bye round
    |spielfrei|freilos|pausiert|exempt|exempte|exempto|exenta|exento|repos|libre
    |descansa|descanso|descansando|bye descanso|sin rival|sin oponente|sin pareja
    |sin contrincante|sense rival|riposo|riposa|senza avversario|folga|isento
    |sem adversario|vrij|oneven|vrijgeloot|frirunde|frirond|walkover|oversittare
    |oversidder|pauza|wolny los|volno|volny los|slobodan|prost|huilaaja|vapaa
    |eronyero|szabadnapos|bay|свободен|свободна|нет соперника
    """
)
_HALF = _listed(
    """
    half bye|half point bye|half pt bye|half a point bye|bye half|hpb|halber punkt
    |medio punto|bye medio punto|bye de medio punto|medio bye|demi point|bye demi point
    """
)
_FULL = _listed(
    """
    full bye|full point bye|full pt bye|one point bye|1 point bye|fpb|pab|bye full
    |punto completo|bye de un punto
    """
)
_ZERO = _listed(
    """
    zero bye|zero point bye|zero pt bye|zpb|no point bye|bye zero|bye de cero puntos
    """
)
# There was an opponent, but the file does not say who.
_UNKNOWN = _listed(
    """
    nn|vacant|vacante|tbd|tba|unknown|unknownplayer|tobedetermined|anonymous|dummy
    |dummyplayer|unbekannt|desconocido|inconnu|sconosciuto
    """
)
_HALVES = re.compile(r"1/2|½|0[.,]5")
_POINTS = re.compile(r"\b([01])(?=[\s-]*(?:points?|pt)\b)")


def is_nobody(name: str) -> bool:
    """Tell whether *name* stands for no player.

    >>> is_nobody("N.N."), is_nobody("Bye #1"), is_nobody("Spielfrei"), is_nobody("Ann")
    (True, True, True, False)
    """
    words = _words(name)
    return not words or "".join(words) in _UNKNOWN or bye_in(name) is not None


def may_be_handle(name: str) -> bool:
    """Tell whether a word for a bye may also be the name of a player on a server."""
    return bool(bye_in(name) == "" and not re.search(r"\bbyes?\b", name.casefold()))


def bye_in(name: str) -> str | None:
    """Return the code of the bye that *name* stands for, None if it stands for none.

    "" is a bye that does not say its points.

    >>> bye_in("Half-point bye"), bye_in("(BYE)"), bye_in("Bye, Ann"), bye_in("1/2 bye")
    ('H', '', None, 'H')
    """
    plain = " ".join(dict.fromkeys(_words(name)))
    for code, words in (("H", _HALF), ("B", _FULL), ("U", _ZERO), ("", _BYES)):
        if plain in words:
            return code
    return None


def _words(name: str) -> list[str]:
    text = _HALVES.sub(" half ", name.casefold())
    text = _POINTS.sub(lambda match: " one " if match[1] == "1" else " zero ", text)
    letters = unicodedata.normalize("NFKD", text)
    kept = "".join(letter for letter in letters if not unicodedata.combining(letter))
    return re.sub(r"[\W\d_]+", " ", kept.replace("ł", "l")).split()
