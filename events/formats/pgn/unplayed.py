"""Games that were not played over the board: forfeits, walkovers and the like."""

from __future__ import annotations

import re

from events.formats.pgn.moves import comments, half_moves
from events.formats.pgn.tags import PgnGame
from players.formats.text import without_accents

# These words say that there was no game, in ten languages, without accents.
_NOT_PLAYED = re.compile(
    r"""\b(?:
    un-?played | (?:not|never|n[o']t)\s(?:been\s)?played | without\s(?:play|a\sgame)
    | no\s?game | (?:before|without)\s(?:the\s)?(?:start|game|play|first\smove)
    | no[-\s]?shows?
    | (?:did|does|do)\s?(?:no|n[o']?)t\s(?:appear|show|arrive|play|come|start|attend)
    | didn'?t\s(?:appear|show|arrive|play|come|start|attend)
    | failed\sto\s(?:appear|show|arrive)
    | (?:never|not)\s(?:appeared|showed|arrived|came|come|started|present|attend\w*)
    | un-?started | opponent\smissing | dn[sp] | absen\w* | withdr[ae]w\w*
    | walk[-\s]?over\w* | walkower\w* | w[./]\s?o\b\.? | wo | abort\w*
    | cancel\w* | annul\w* | void(?:ed)?
    | kampflos\w* | zuruckgezogen | ausgefallen | fehlt\w* | abwesend
    | nicht\s(?:gespielt|angetreten|erschienen|anwesend)
    | freilos | spielfrei | byes?
    | non\sjouee?s? | retrait | sans\sjouer | exempte?
    | no\s(?:se\s)?(?:jugad[ao]|jugo|present\w+|comparec\w+) | incomparecencia\w*
    | sin\sjugar | ausen\w* | retirad[ao] | no\sasist\w+
    | non\s(?:giocat[ao]|disputat[ao]|presentat[ao]) | assen\w+ | a\stavolino
    | ritir[ao]t?[ao]?
    | nao\s(?:jogad[ao]|disputad[ao]|comparec\w+) | falta
    | niet\s(?:gespeeld|opgekomen|verschenen) | afwezig\w* | reglementair\w*
    | afmelding | afgemeld | teruggetrokken
    | nie\s(?:rozegran\w*|grano|stawil\w*) | nieobecn\w* | wycofan\w*
    | ikke\s(?:spillet|mott|modt) | (?:ej|inte)\s(?:spelad\w*|spelat)
    | uteblev\w* | udeblev\w* | kontumac\w* | nehran\w* | bez\s(?:boje|borbe)
    | nepris\w+ | nedostavil\w* | luovutus | ei\s(?:pelattu|saapunut)
    | неявк\w* | не\s(?:явил\w*|сыгран\w*|игра\w*|состоя\w*) | без\sигры | техническ\w*
    )(?!\w)""",
    re.VERBOSE,
)
# These may also end a game that was played.
_DOUBTFUL = re.compile(
    r"forfeit|forfait|default|abandon|infraction|unterminated|emergency|death"
    r"|cheat|fair\splay|violat|disqual|\bds?q\b|\bff\b|engine|penal[ti]"
    r"|forfet|(?:computer|outside)\sassist"
)
_FORFEIT = re.compile(r"forf[ea]i?t|default|abandon|\bff\b")
# How played games end, in the words of the standard and of servers.
_USUAL = re.compile(
    r"normal|mate|resign|time|clock|flag|adjudicat|agree|draw|repetition|stalemate"
    r"|insufficient|material|moves?\b|remis|tablas|nulle|patta|aufgabe|mat(?:t|e)?\b"
    r"|rendicion|rind|desist|tiempo|zeit|temps|tempo|illegal|perpetual|move\srule"
)
_BY_TIME = re.compile(
    r"(?:on\s)?time\s(?:forfeit|default)\w*"
    r"|(?:forfeit|default)\w*\s(?:by|on|because\sof|due\sto)\s(?:time|clock)"
)
_TAGS = ("Termination", "Comment", "Remark", "Remarks", "Note", "Status", "Reason")
_ENDING_TAGS = ("Termination", "Status", "Reason")
# White's code of a game, and both codes if it was not played.
AS_FORFEIT = {"W": ("X", "F"), "L": ("F", "X"), "D": ("Z", "Z")}
_LAST_COMMENT_WITHIN = 1_000


def has_too_few_moves(game: PgnGame) -> bool:
    """Return whether a game has at most one half-move, so that it may not be a game."""
    return half_move_count(game) < 2


def half_move_count(game: PgnGame) -> int:
    """Return the half-moves up to two; a file without moves may have their number."""
    shown = half_moves(game.movetext)
    count = game.tag("PlyCount")
    return shown or (min(int(count), 2) if re.fullmatch("[0-9]{1,4}", count) else 0)


def unplayed_reason(game: PgnGame) -> str:
    """Return the tag or comment that calls a game unplayed, "" if there is none.

    Comments within a played game are about its moves; only the last one may be about
    how the game ended.
    """
    if has_too_few_moves(game):
        remarks = comments(game.movetext)
    else:
        remarks = comments(game.movetext[-_LAST_COMMENT_WITHIN:])[-1:]
    texts = [*filter(None, map(game.tag, _TAGS)), *remarks]
    # Without moves, only a usual ending shows that there was a game.
    endings = [game.tag(tag) for tag in _ENDING_TAGS] if has_too_few_moves(game) else ()
    reasons = [
        *filter(is_unplayed_remark, texts),
        *filter(is_doubtful_remark, texts),
        *(text for text in endings if text and not is_usual_ending(text)),
    ]
    return next(iter(reasons), "")


def is_unplayed_remark(text: str) -> bool:
    """Return whether *text* says that there was no game.

    >>> is_unplayed_remark("Kampflos"), is_unplayed_remark("time forfeit")
    (True, False)
    """
    return bool(_NOT_PLAYED.search(_normalized(text)))


def is_doubtful_remark(text: str) -> bool:
    """Return whether *text* may say that there was no game, or not one to rate.

    >>> is_doubtful_remark("Abandoned"), is_doubtful_remark("Black forfeits on time")
    (True, False)
    """
    return bool(_DOUBTFUL.search(_BY_TIME.sub(" ", _normalized(text))))


def is_usual_ending(text: str) -> bool:
    """Return whether *text* is a known way in which played games end.

    >>> is_usual_ending("Black resigns"), is_usual_ending("sick")
    (True, False)
    """
    return bool(_USUAL.search(_normalized(text)))


def is_forfeit_remark(text: str) -> bool:
    """Return whether *text*, of a game without moves, says that it was a forfeit."""
    plain = _BY_TIME.sub(" ", _normalized(text))
    return is_unplayed_remark(text) or bool(_FORFEIT.search(plain))


def _normalized(text: str) -> str:
    plain = without_accents(text.casefold().replace("’", "'"))
    return " ".join(plain.replace("ø", "o").replace("ł", "l").replace("_", " ").split())
