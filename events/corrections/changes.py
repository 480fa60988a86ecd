"""Changes to a section's document: one function for each kind of correction.

A change is plain JSON, as stored with a request. Impossible changes raise InvalidChange
with the reason; whether a possible change is true is for people to decide.
"""

from collections.abc import Callable, Iterable
from datetime import date
from typing import Any, NamedTuple

from django.utils.translation import gettext

from events.formats.played_games import FORFEITS, OUTCOMES, STORED_UNPLAYED_CODES
from events.formats.report import Cell
from events.formats.result_codes import (
    DOUBLE,
    DOUBLE_GAME_KIND,
    OTHER_COLOR,
    SINGLE,
    ResultCode,
    single_results,
)
from events.models.documents import (
    KIND_WORDS,
    ROLE_WORDS,
    EntryLine,
    GameLine,
    OfficialLine,
    SectionDocument,
    UnplayedLine,
)

# Return the primary key of the member with an ID.
MemberFinder = Callable[[str], int | None]
Change = dict[str, Any]

NOT_MARKED = frozenset({"", "U"})
# Possible outcomes of the opponent of a one-sided result.
ONE_SIDED = {"W": "N", "L": "S", "D": "R"}


class InvalidChange(Exception):
    """The change cannot be made in this section; the message says why."""


class CellChange(NamedTuple):
    """The new content of a cell, and with it of the opponent's cell.

    *result* is a code of the report files, or "" for no game. *theirs* is the
    opponent's outcome where it does not mirror this one.
    """

    number: int
    round_number: int
    result: str = ""
    opponent: int | None = None
    color: str = ""
    theirs: str = ""


def changed_document(
    document: SectionDocument, kind: str, change: Change, *, find_member: MemberFinder
) -> SectionDocument:
    """Return the document with the change made. Raise InvalidChange if impossible."""
    match kind:
        case "result":
            return _change_cells(document, change)
        case "member_id":
            return _change_member_id(document, change, find_member)
        case "player":
            return _exchange_players(document, change)
        case "missing":
            return _add_player(document, change, find_member)
        case "dates":
            return _change_dates(document, change)
        case "time_control" | "name":
            return document.changed(**change)
        case "type":
            return _change_kind(document, change)
        case "event":
            place = {"city": change["city"], "state": change["state"]}
            return document.changed(event_name=change["name"], **place)
        case "official":
            return _change_official(document, change, find_member)
    raise InvalidChange(
        gettext(
            "This request describes the problem in words only. First change it to "
            "a specific correction: a result, member ID, date, time control, or "
            "official."
        )
    )


# Results


def _change_cells(document: SectionDocument, change: Change) -> SectionDocument:
    cells = [CellChange(**cell) for cell in change["cells"]]
    for cell in cells:
        _require_possible(document, cell)
    _require_separate(cells)
    _require_all_opponents_named(document, cells)
    cleared = {
        (cell.round_number, number)
        for cell in cells
        for number in (cell.number, cell.opponent)
    }
    games = [
        game
        for game in document.games
        if not {(game.round_number, game.first), (game.round_number, game.second)}
        & cleared
    ]
    unplayed = [
        line
        for line in document.unplayed
        if (line.round_number, line.number) not in cleared
        and (line.opponent is None or (line.round_number, line.opponent) not in cleared)
    ]
    for cell in cells:
        code = _code(document, cell)
        if code is None:
            continue
        if code.is_game:
            games += _games(document, cell, code)
        else:
            unplayed += _marks(cell, code)
    rounds = max(document.rounds, *(cell.round_number for cell in cells))
    return document.changed(games=games, unplayed=unplayed, rounds=rounds)


def _require_possible(document: SectionDocument, cell: CellChange) -> None:
    _entry(document, cell.number)
    code = _code(document, cell)
    # A forgotten game may also need a new last round.
    is_game = code is not None and code.is_game
    if not 1 <= cell.round_number <= document.rounds + is_game:
        raise InvalidChange(
            gettext("The section has no round {round_number}.").format(
                round_number=cell.round_number
            )
        )
    if cell.opponent is None:
        if code is not None and code.needs_opponent:
            raise InvalidChange(gettext("Enter the opponent’s pairing number."))
        return
    if cell.opponent == cell.number:
        raise InvalidChange(gettext("A player can’t be their own opponent."))
    _entry(document, cell.opponent)
    if code is None or code.code in "BH":
        raise InvalidChange(
            gettext("This result has no opponent. Delete the pairing number.")
        )


def _code(document: SectionDocument, cell: CellChange) -> ResultCode | None:
    if cell.result in NOT_MARKED:
        return None
    codes = DOUBLE if document.is_double else SINGLE
    code = codes.get(cell.result)
    if (
        code is None
        or code.is_asymmetric
        or not (code.is_game or code.code in STORED_UNPLAYED_CODES)
    ):
        raise InvalidChange(
            gettext("“{result}” can’t be used in this type of section.").format(
                result=cell.result
            )
        )
    if cell.theirs and not (code.is_game and len(code.games) == 1):
        raise InvalidChange(
            gettext("Only a single game can have a different result for each player.")
        )
    return code


def _require_separate(cells: list[CellChange]) -> None:
    """Raise InvalidChange if both cells are of the same player and round."""
    named: set[tuple[int, int]] = set()
    for cell in cells:
        for number in filter(None, (cell.number, cell.opponent)):
            if (cell.round_number, number) in named:
                raise InvalidChange(
                    gettext(
                        "This would give pairing number {number} two games in round "
                        "{round_number}."
                    ).format(number=number, round_number=cell.round_number)
                )
            named.add((cell.round_number, number))


def _require_all_opponents_named(
    document: SectionDocument, cells: list[CellChange]
) -> None:
    """Raise InvalidChange if a game of an unnamed player would be removed."""
    named = {(c.round_number, n) for c in cells for n in (c.number, c.opponent) if n}
    for cell in cells:
        if cell.opponent is None:
            continue
        third = document.cell(cell.opponent, cell.round_number).opponent
        if third is not None and (cell.round_number, third) not in named:
            raise InvalidChange(
                gettext(
                    "In round {round_number}, pairing number {opponent} has a game "
                    "against {third}. Under “Other player,” enter what {third} did "
                    "in that round."
                ).format(
                    round_number=cell.round_number, opponent=cell.opponent, third=third
                )
            )


def _games(
    document: SectionDocument, cell: CellChange, code: ResultCode
) -> Iterable[GameLine]:
    letter = DOUBLE_GAME_KIND if document.is_double else ""
    opponent = cell.opponent or 0
    mirror = ONE_SIDED[cell.theirs] if cell.theirs else code.mirror
    ours = single_results(Cell(cell.result, opponent, cell.color), letter, cell.number)
    theirs = single_results(
        Cell(mirror, cell.number, OTHER_COLOR[cell.color]), letter, opponent
    )
    for leg, (our, their) in enumerate(zip(ours, theirs, strict=True), start=1):
        sides = sorted(
            [
                (cell.number, our.color, OUTCOMES[our.code]),
                (opponent, their.color, OUTCOMES[their.code]),
            ]
        )
        (first, color, outcome), (second, _, other) = sides
        yield GameLine(cell.round_number, leg, first, second, color, outcome, other)


def _marks(cell: CellChange, code: ResultCode) -> Iterable[UnplayedLine]:
    opponent = cell.opponent if code.code in FORFEITS else None
    yield UnplayedLine(cell.number, cell.round_number, code.code, opponent)
    if opponent is not None:
        yield UnplayedLine(opponent, cell.round_number, code.mirror, cell.number)


# Members


def _change_member_id(
    document: SectionDocument, change: Change, find_member: MemberFinder
) -> SectionDocument:
    entry, member_id = _entry(document, change["number"]), change["member_id"]
    player = _member(member_id, find_member)
    return _with_entries(
        document,
        entry._replace(
            member_id=member_id, reported_member_id=member_id, player=player
        ),
    )


def _member(member_id: str, find_member: MemberFinder) -> int:
    player = find_member(member_id)
    if player is None:
        raise InvalidChange(
            gettext("No member has the ID {member_id}.").format(member_id=member_id)
        )
    return player


def _add_player(
    document: SectionDocument, change: Change, find_member: MemberFinder
) -> SectionDocument:
    """Add a missing player under the next pairing number, without results."""
    member_id, name = change["member_id"], change["name"]
    player = _member(member_id, find_member)
    number = max((entry.number for entry in document.entries), default=0) + 1
    entry = EntryLine(number, member_id, player, name, reported_member_id=member_id)
    return document.changed(entries=[*document.entries, entry])


def _exchange_players(document: SectionDocument, change: Change) -> SectionDocument:
    """Swap the members of two pairing numbers.

    Names stay: only the IDs were mixed up.
    """
    one, two = _entry(document, change["number"]), _entry(document, change["other"])
    if one.number == two.number:
        raise InvalidChange(gettext("Enter two different pairing numbers."))
    member = ("member_id", "player", "reported_member_id")
    return _with_entries(
        document,
        one._replace(**{field: getattr(two, field) for field in member}),
        two._replace(**{field: getattr(one, field) for field in member}),
    )


def _entry(document: SectionDocument, number: int) -> EntryLine:
    entry = document.entry(number)
    if entry is None:
        raise InvalidChange(
            gettext("Pairing number {number} is not in this section.").format(
                number=number
            )
        )
    return entry


def _with_entries(document: SectionDocument, *entries: EntryLine) -> SectionDocument:
    new = {entry.number: entry for entry in entries}
    return document.changed(
        entries=[new.get(entry.number, entry) for entry in document.entries]
    )


# The section


def _change_dates(document: SectionDocument, change: Change) -> SectionDocument:
    starts, ends = (date.fromisoformat(change[name]) for name in ("starts", "ends"))
    if ends < starts:
        raise InvalidChange(gettext("The section cannot end before it starts."))
    return document.changed(starts=starts, ends=ends)


def _change_kind(document: SectionDocument, change: Change) -> SectionDocument:
    if change["kind"] not in KIND_WORDS:
        raise InvalidChange(
            gettext("This section type doesn’t exist. Choose one from the list.")
        )
    return document.changed(kind=change["kind"])


def _change_official(
    document: SectionDocument, change: Change, find_member: MemberFinder
) -> SectionDocument:
    scope, role, old, new = (change[k] for k in ("scope", "role", "old", "new"))
    before = OfficialLine(scope, role, old)
    if old and before not in document.officials:
        raise InvalidChange(
            gettext("{old} isn’t the {role_words} of this section.").format(
                old=old, role_words=ROLE_WORDS[role]
            )
        )
    if new and find_member(new) is None:
        raise InvalidChange(gettext("No member has the ID {new}.").format(new=new))
    if not new and (scope, role) == ("event", "chief"):
        raise InvalidChange(
            gettext("Every event needs a chief TD. Enter the correct one.")
        )
    officials = [line for line in document.officials if line != before]
    if new:
        officials.append(OfficialLine(scope, role, new))
    return document.changed(officials=dict.fromkeys(officials))
