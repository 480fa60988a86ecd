"""Games that were not played over the board: forfeits, walkovers and the like."""

from __future__ import annotations

import re
import unicodedata

from events.importers.pgn.moves import comments, half_moves
from events.importers.pgn.tags import PgnGame

# These words say that there was no game, in ten languages, without accents.
_NOT_PLAYED = re.compile(
    r"""\b(?:
    un-?played | (?:not|never|n[o']t)\s(?:been\s)?played | without\s(?:play|a\sgame)
    | no\s?game | (?:before|without)\s(?:the\s)?(?:start|game|play|first\smove)
    | no[-\s]?shows? | (?:did|does|do)\s?(?:no|n[o']?)t\s(?:appear|show|arrive|play)
    | didn'?t\s(?:appear|show|arrive|play) | failed\sto\s(?:appear|show|arrive)
    | never\s(?:appeared|showed|arrived) | dns | absen\w* | withdr[ae]w\w*
    | walk[-\s]?over\w* | walkower\w* | w[./]\s?o\b\.? | wo | abort\w*
    | kampflos\w* | nicht\s(?:gespielt|angetreten|erschienen|anwesend) | abwesend
    | freilos | spielfrei | byes?
    | non\sjouee? | non\sjouees? | sans\sjouer | exempte?
    | no\s(?:se\s)?(?:jugad[ao]|jugo|present\w+|comparec\w+) | incomparecencia\w*
    | sin\sjugar | ausen\w* | retirad[ao]
    | non\s(?:giocat[ao]|disputat[ao]|presentat[ao]) | assen\w+ | a\stavolino
    | nao\s(?:jogad[ao]|disputad[ao]|comparec\w+) | falta
    | niet\s(?:gespeeld|opgekomen|verschenen) | afwezig\w* | reglementair\w*
    | nie\s(?:rozegran\w*|grano|stawil\w*) | nieobecn\w*
    | ikke\s(?:spillet|mott|modt) | (?:ej|inte)\s(?:spelad\w*|spelat)
    | uteblev\w* | kontumac\w* | nehran\w* | bez\s(?:boje|borbe)
    | неявк\w* | не\s(?:явил\w*|сыгран\w*|игра\w*|состоя\w*)
    )(?!\w)""",
    re.VERBOSE,
)
# These may also end a game that was played.
_DOUBTFUL = re.compile(
    r"forfeit|forfait|default|abandon|infraction|unterminated|emergency|death"
    r"|cheat|fair\splay|violat|disqualif|engine|penal[ti]"
)
_FORFEIT = re.compile(r"forfeit|forfait|default|abandon")
_BY_TIME = re.compile(
    r"(?:on\s)?time\s(?:forfeit|default)\w*"
    r"|(?:forfeit|default)\w*\s(?:by|on|because\sof|due\sto)\s(?:time|clock)"
)
_TAGS = ("Termination", "Comment", "Remark", "Remarks", "Note", "Status", "Reason")
_LAST_COMMENT_WITHIN = 1_000


def bare(game: PgnGame) -> bool:
    """Tell whether a game has at most one half-move, so that it may not be a game."""
    return moves_shown(game) < 2


def moves_shown(game: PgnGame) -> int:
    """Return the half-moves up to two; a file without moves may give their number."""
    shown = half_moves(game.movetext)
    count = game.tag("PlyCount")
    return shown or (min(int(count), 2) if re.fullmatch("[0-9]{1,4}", count) else 0)


def unplayed_reason(game: PgnGame) -> str:
    """Return what a tag or a comment says of a game without moves, "" if nothing.

    Comments within a game that was played tell about its moves; only the last one may
    tell how the game ended.
    """
    if bare(game):
        said = comments(game.movetext)
    else:
        said = comments(game.movetext[-_LAST_COMMENT_WITHIN:])[-1:]
    texts = [*filter(None, map(game.tag, _TAGS)), *said]
    return next((text for text in texts if says_not_played(text)), "") or next(
        (text for text in texts if says_doubtful(text)), ""
    )


def says_not_played(text: str) -> bool:
    """Tell whether *text* says that there was no game.

    >>> says_not_played("Kampflos"), says_not_played("time forfeit")
    (True, False)
    """
    return bool(_NOT_PLAYED.search(_plain(text)))


def says_doubtful(text: str) -> bool:
    """Tell whether *text* may say that there was no game, or not one to rate.

    >>> says_doubtful("Abandoned"), says_doubtful("Black forfeits on time")
    (True, False)
    """
    return bool(_DOUBTFUL.search(_BY_TIME.sub(" ", _plain(text))))


def says_forfeit(text: str) -> bool:
    """Tell whether *text*, of a game without moves, says that it was a forfeit."""
    plain = _BY_TIME.sub(" ", _plain(text))
    return says_not_played(text) or bool(_FORFEIT.search(plain))


def _plain(text: str) -> str:
    letters = unicodedata.normalize("NFKD", text.casefold().replace("’", "'"))
    kept = "".join(letter for letter in letters if not unicodedata.combining(letter))
    return " ".join(kept.replace("ø", "o").replace("ł", "l").replace("_", " ").split())
