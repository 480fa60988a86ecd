"""Read games in PGN as a report. Moves only show whether a game was played.

The games of one event and section, from any number of files, are one section. If the
Round tags give every player one game in each round, they are its rounds; the games of a
match, an arena or a week of casual play go into the first free rounds. Like the other
readers it raises nothing, and a game with a result is either in the report or in a
finding that names it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date

from events.formats.ambiguous_dates import resolve_dates
from events.formats.archive import printable
from events.formats.byes import bye_code
from events.formats.dates import possible_dates
from events.formats.dbf.layout_2c import MAX_ROUNDS, MAX_SECTIONS
from events.formats.dbf.tables import MAX_RECORDS
from events.formats.findings import Collector, Place
from events.formats.online_play import Venue, is_address
from events.formats.pairings import PairedPlayer, enter_game, last_round
from events.formats.parsing import clean_text
from events.formats.pgn.duplicates import DuplicateFinder, GameRecord
from events.formats.pgn.players import SIDES, SectionPlayers
from events.formats.pgn.tags import MAX_GAMES, PgnGame, parse_games
from events.formats.pgn.unplayed import (
    AS_FORFEIT,
    half_move_count,
    has_too_few_moves,
    is_forfeit_remark,
    is_unplayed_remark,
    unplayed_reason,
)
from events.formats.pgn.venues import game_venue, stated_venue
from events.formats.report import Cell, ReportedEvent, ReportedSection, event_of
from events.formats.tables.results import parse_bye, parse_game_result
from events.formats.time_controls import normalize_time_control
from events.formats.translatable_text import translatable, translatable_list
from events.formats.trf.time_codes import parse_seconds_code

_FIRST_TAG = re.compile(
    rb'^[ \t]*\[[ \t]*(Event|Site|White|Black|Result)[ \t]+"',
    re.MULTILINE | re.IGNORECASE,
)
_HEADER_BYTES = 20_000
_ROUND = re.compile(r"0{0,3}([1-9][0-9]{0,2})(?![0-9])", re.ASCII)
_COUNTRY = re.compile(r"(.*\S)\s+([A-Z]{3})")
# Some broadcasts call every game an event.
_ROUND_AS_EVENT = re.compile(r"Round\s[0-9]{1,3}\b", re.IGNORECASE)
_ROUND_WORD = r"(?:round|rnd|rd|r|ronda|runde|ronde|rodada|runda|turno|tour|kolo|тур)"
_NUMBERS = {
    word: number
    for number, words in enumerate(
        (
            *("one i", "two ii", "three iii", "four iv", "five v"),
            *("six vi", "seven vii", "eight viii", "nine ix", "ten x"),
        ),
        start=1,
    )
    for word in words.split()
}
_BOARD_IN_EVENT = re.compile(r"\b(?:board|table)\s*#?[0-9]{1,3}\b", re.IGNORECASE)
_ROUND_IN_EVENT = re.compile(
    rf"""[\s(\[]*(?:\b
    (?P<first>[0-9]{{1,2}})(?:st|nd|rd|th|[.ªº])\s*{_ROUND_WORD}\b
    | \b{_ROUND_WORD}\.?\s*\#?\s*(?:
    (?P<last>[0-9]{{1,2}})(?:\.[0-9]{{1,3}})? | (?P<word>{"|".join(_NUMBERS)}))\b
    )[\s)\]]*""",
    re.IGNORECASE | re.VERBOSE,
)
_STANDARD = frozenset(("", "standard", "chess", "normal", "orthodox"))
_INITIAL = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR"
_STANDARD_CONTROL = re.compile(r"[0-9+:/*d]+", re.ASCII)
_TYPED_CONTROL = re.compile(r"([0-9]{1,3})[+d][0-9]{1,2}", re.ASCII)
_MIN_SECONDS = 180
_MAX_CONTROL_LENGTH = 60
_PLAYED = frozenset("WLD")
_AS_PLAYED = {"X": "W", "F": "L"}
_MAX_LISTED = 8
_DATE_TAGS = ("date", "utcdate", "eventdate")


def looks_like_pgn(name: str, data: bytes) -> bool:
    """Return whether the file holds games, by its name or by a tag that begins a line.

    >>> looks_like_pgn("games.txt", b'[Event "May Open"]')
    True
    """
    return name.lower().endswith(".pgn") or bool(_FIRST_TAG.search(_first_bytes(data)))


def _first_bytes(data: bytes) -> bytes:
    # In UTF-16 every other byte of these letters is zero.
    return data[:_HEADER_BYTES].removeprefix(b"\xef\xbb\xbf").replace(b"\x00", b"")


def read_pgn(
    files: Sequence[tuple[str, bytes]], findings: Collector
) -> ReportedEvent | None:
    """Return the event of all games in the *files* (name and content).

    None if there is no game in any of them; the findings then say so.

    >>> tags = '[White "Ann"]\\n[Black "Bob"]\\n[Round "1"]\\n[Result "1/2-1/2"]\\n'
    >>> report = read_pgn([("may.pgn", tags.encode())], Collector())
    >>> [entry.cells[0].code for entry in report.sections[0].entries]
    ['D', 'D']
    """
    games: list[PgnGame] = []
    for name, data in files:
        games += parse_games(name, data, findings)
    if len(games) > MAX_GAMES:
        findings.add("pgn.too_many", Place(file=games[-1].file), most=MAX_GAMES)
    named = list(_with_tags(games[:MAX_GAMES], findings))
    if not named:
        for name, _ in files:
            findings.add("pgn.no_games", Place(file=name), name=name)
        return None
    return _event(named, findings)


def _with_tags(games: Iterable[PgnGame], findings: Collector) -> Iterator[PgnGame]:
    """Yield the games that have tags; report moves without tags."""
    for game in games:
        if game.tags:
            yield game
        else:
            name = "pgn.no_player" + ("" if game.ending else "/text")
            _add_finding(findings, name, game)


def _add_finding(
    findings: Collector, name: str, game: PgnGame, /, **values: object
) -> None:
    """Add a finding about a game, which its sentence names by players and round."""
    findings.add(
        name,
        Place(game.file, field=f"line {game.line}"),
        line=game.line,
        white=clean_text(game.tag("White"), 40) or "?",
        black=clean_text(game.tag("Black"), 40) or "?",
        round=clean_text(game.tag("Round"), 20) or "?",
        result=clean_text(_result(game), 20) or "?",
        **values,
    )


def _result(game: PgnGame) -> str:
    """Return the result of the tag, or the ending of the moves without one."""
    result = game.tags.get("result", "")
    return result if result.strip("?") else game.ending


# The event


def _event(games: Sequence[PgnGame], findings: Collector) -> ReportedEvent:
    games = _with_clear_dates(_with_rounds_in_tags(games), findings)
    groups: dict[tuple[str, str], list[PgnGame]] = {}
    for game in _unique_games(games, findings):
        groups.setdefault(_section_key(game), []).append(game)
    _report_several_events(list(groups.values()), findings)
    sections = list(_sections(list(groups.values()), findings))
    city, country = _place(games)
    name = clean_text(_event_name(games[0]))
    return event_of(sections, program="PGN", name=name, city=city, country=country)


def _with_clear_dates(games: Sequence[PgnGame], findings: Collector) -> list[PgnGame]:
    events: dict[tuple[str, str], list[PgnGame]] = {}
    for game in games:
        events.setdefault(_section_key(game), []).append(game)
    clear = {
        key: _resolve_game_dates(played, findings) for key, played in events.items()
    }
    return [_with_resolved_dates(game, clear[_section_key(game)]) for game in games]


def _resolve_game_dates(
    games: Sequence[PgnGame], findings: Collector
) -> Mapping[str, str]:
    """Return the meaning of the ambiguous dates of one event.

    They are compared with the event's other dates and the day of the upload; findings
    ask about those that stay unclear.
    """
    first: dict[str, PgnGame] = {}
    for game in games:
        for tag in _DATE_TAGS:
            first.setdefault(game.tag(tag), game)
    unclear = [text for text in first if len(set(possible_dates(text).values())) > 1]
    if not unclear:
        return {}
    dates = [(game.tag("Date"), game.tag("UTCDate")) for game in games]
    chosen = resolve_dates(
        [next((game.tag("EventDate") for game in games if game.tag("EventDate")), "")],
        [ours or utc for ours, utc in dates],
        same=[both for both in dates if all(both)],
        today=findings.today,
    )
    clear = {}
    for text in unclear:
        game = first[text]
        chosen.report_if_ambiguous(
            findings, Place(game.file, field=f"line {game.line}"), text
        )
        if day := chosen.day(text):
            clear[text] = day.isoformat()
    return clear


def _with_resolved_dates(game: PgnGame, clear: Mapping[str, str]) -> PgnGame:
    """Return the game with unambiguous dates."""
    dates = {tag: clear[text] for tag in _DATE_TAGS if (text := game.tag(tag)) in clear}
    return replace(game, tags={**game.tags, **dates}) if dates else game


def _section_key(game: PgnGame) -> tuple[str, str]:
    event, section = _event_name(game), game.tag("Section")
    return " ".join(event.casefold().split()), " ".join(section.casefold().split())


def _event_name(game: PgnGame) -> str:
    event = game.tag("Event")
    if event and not _ROUND_AS_EVENT.match(event):
        return event
    return game.tag("BroadcastName") or event


def _with_rounds_in_tags(games: Sequence[PgnGame]) -> list[PgnGame]:
    """Return the games with the round taken out of Event tags that differ by it only.

    A number that is not the round of all games of the tag is part of the name, as in
    "Summer Tour 2".
    """
    events: dict[str, list[PgnGame]] = {}
    for game in games:
        events.setdefault(_event_name(game), []).append(game)
    names: dict[str, str] = {}
    rounds: dict[str, str] = {}
    for event, played in events.items():
        match = _ROUND_IN_EVENT.search(event)
        if not match:
            continue
        number = match["first"] or match["last"] or _NUMBERS[match["word"].casefold()]
        if all(_round(game) in (0, int(number)) for game in played):
            name = f"{event[: match.start()]} {event[match.end() :]}"
            name = _BOARD_IN_EVENT.sub(" ", name)
            names[event] = " ".join(name.strip(" -–—:;,|/").split())
            rounds[event] = str(number)
    counts = Counter(name.casefold() for name in names.values())
    return [
        _with_event(game, names[event], rounds[event])
        if (event := _event_name(game)) in names and counts[names[event].casefold()] > 1
        else game
        for game in games
    ]


def _with_event(game: PgnGame, event: str, round_number: str) -> PgnGame:
    number = game.tag("Round") or round_number
    return replace(game, tags={**game.tags, "event": event, "round": number})


def _report_several_events(
    groups: Sequence[Sequence[PgnGame]], findings: Collector
) -> None:
    if len(groups) == 1:
        return
    names = [_section_name(games[0]) or translatable("no name") for games in groups]
    place = Place(file=groups[1][0].file, field="sections")
    listed = translatable_list(names[:_MAX_LISTED])
    findings.add("pgn.several_events", place, listed=listed)
    if len(groups) > MAX_SECTIONS:
        sizes = {"sections": len(groups), "most": MAX_SECTIONS}
        findings.add("pgn.too_many/sections", place, **sizes)


def _section_name(game: PgnGame) -> str:
    return clean_text(game.tag("Section") or _event_name(game), 60)


def _sections(
    groups: Sequence[Sequence[PgnGame]], findings: Collector
) -> Iterator[ReportedSection]:
    players = 0
    has_moves = any(not has_too_few_moves(game) for games in groups for game in games)
    for number, games in enumerate(groups[:MAX_SECTIONS], start=1):
        section = _Section(number, games, findings, has_moves=has_moves)
        players += len(section.people.players)
        if players > MAX_RECORDS:
            place, name = Place(games[0].file, field="players"), section.name
            findings.add("pgn.too_many/players", place, most=MAX_RECORDS, section=name)
            return
        yield section.read()


def _place(games: Sequence[PgnGame]) -> tuple[str, str]:
    """Return the common place of all games and its country."""
    sites = {clean_text(game.tag("Site")) for game in games}
    site = sites.pop()
    if sites or is_address(site):
        return "", ""
    match = _COUNTRY.fullmatch(site)
    return (match[1], match[2]) if match else (site, "")


# A section


@dataclass(frozen=True, slots=True)
class _PairedGame:
    """A game of the report: its players and result codes."""

    game: PgnGame
    white: PairedPlayer
    black: PairedPlayer
    codes: tuple[str, str]


class _Section:
    """Builds a section from its games."""

    def __init__(
        self,
        number: int,
        games: Sequence[PgnGame],
        findings: Collector,
        *,
        has_moves: bool,
    ) -> None:
        self.number = number
        self.findings = findings
        self.add = findings.at(Place(section=number))
        self.games = list(self._standard_games(games))
        self.name = _section_name(games[0])
        self.online = self._is_online()
        self.people = SectionPlayers(self.games, findings)
        self.byes: list[tuple[PgnGame, PairedPlayer, str]] = []
        self.has_moves = has_moves
        self.without_moves: list[PgnGame] = []

    def read(self) -> ReportedSection:
        paired_games = list(self._paired_games())
        self._report_without_moves()
        by_tags = self._has_rounds(paired_games)
        if by_tags:
            self._enter_by_tags(paired_games)
        else:
            self._enter_in_order(paired_games)
        players = self.people.players
        played = last_round(players)
        self.people.report_similar_names(self.number)
        starts, ends = self._days()
        is_match = len(players) == 2 and len(paired_games) > 1
        return ReportedSection(
            number=self.number,
            name=self.name,
            time_control=self._time_control(),
            kind_letter="M" if is_match else "S",
            rounds=max(played, self._stated_rounds() if by_tags else 0) or None,
            last_pairing_number=len(players),
            starts=starts,
            ends=ends,
            online=self.online,
            entries=tuple(player.entry(played) for player in players),
        )

    def _is_online(self) -> bool:
        """Return whether all games were online; ask if the tags do not say."""
        plays = {game_venue(game): game for game in reversed(self.games)}
        if not plays.keys() - {Venue.ONLINE}:
            return bool(plays)
        if doubtful := plays.get(Venue.UNSURE) or plays.get(Venue.ONLINE):
            which = "" if Venue.ONLINE not in plays else "/some"
            written = printable(stated_venue(doubtful)[:80])
            self.add(
                f"pgn.online{which}", "online", written=written, line=doubtful.line
            )
        return False

    def _add_finding(self, name: str, game: PgnGame, /, **values: object) -> None:
        _add_finding(self.findings, name, game, **values)

    def _standard_games(self, games: Iterable[PgnGame]) -> Iterator[PgnGame]:
        for game in games:
            variant = game.tag("Variant")
            if variant.lower() in _STANDARD:
                yield game
            else:
                self._add_finding("pgn.variant", game, variant=printable(variant[:40]))

    # Games

    def _paired_games(self) -> Iterator[_PairedGame]:
        for place, game in enumerate(self.games):
            white, black = self.people.players_of_game(place)
            if white is None or black is None:
                self._bye(game, white, black)
            elif white is black:
                self._add_finding("pgn.one_player", game)
            else:
                self._report_doubts(game, _codes(game))
                yield _PairedGame(game, white, black, self._codes(game))

    def _codes(self, game: PgnGame) -> tuple[str, str]:
        """Return the result codes: a forfeit if the file reports no game."""
        codes = _codes(game)
        if codes[0] not in _PLAYED:
            return codes
        reason = unplayed_reason(game)
        is_bare = has_too_few_moves(game)
        shown = printable(reason[:60])
        if is_bare and (
            is_unplayed_remark(reason) or (self.has_moves and is_forfeit_remark(reason))
        ):
            self._add_finding("pgn.unplayed", game, reason=shown)
            return AS_FORFEIT[codes[0]]
        if reason:
            self._add_finding("pgn.termination", game, termination=shown)
        elif is_bare and self._is_suspicious(game):
            self.without_moves.append(game)
        return codes

    def _is_suspicious(self, game: PgnGame) -> bool:
        """Return whether a game without moves is unusual in these files."""
        return self.has_moves or half_move_count(game) == 1

    def _report_without_moves(self) -> None:
        """Ask about games without moves: each, or all at once if most have none."""
        games = self.without_moves
        if len(games) > _MAX_LISTED and 2 * len(games) > len(self.games):
            listed = ", ".join(
                " – ".join(clean_text(game.tag(side), 40) for side in SIDES)
                for game in games[:_MAX_LISTED]
            )
            self.add("pgn.no_moves/many", "moves", games=len(games), listed=listed)
            return
        for game in games:
            which = "/one" if half_move_count(game) else ""
            self._add_finding(f"pgn.no_moves{which}", game)

    def _bye(
        self, game: PgnGame, white: PairedPlayer | None, black: PairedPlayer | None
    ) -> None:
        """Enter a bye, which some programs write as a game against no player."""
        named = bye_code(game.tag("White" if white is None else "Black"))
        won = _codes(game)[0 if black is None else 1]
        code = parse_bye(_AS_PLAYED.get(won, won)) if won else named
        player = white or black
        if player is None or named is None or not code or (named and named != code):
            self._add_finding("pgn.no_player", game)
        else:
            self.byes.append((game, player, code))

    def _report_doubts(self, game: PgnGame, codes: tuple[str, str]) -> None:
        if not codes[0]:
            shown = "/ending" if parse_game_result(game.ending) else ""
            self._add_finding(f"pgn.no_result{shown}", game, ending=game.ending)
        elif game.ending and not _is_consistent(codes, game.ending):
            self._add_finding("pgn.other_ending", game, ending=game.ending)
        if not game.tag("FEN").startswith(_INITIAL) and game.tag("FEN"):
            self._add_finding("pgn.position", game)

    # Rounds

    def _has_rounds(self, paired_games: Sequence[_PairedGame]) -> bool:
        """Return whether the Round tags are the rounds; if not, add a finding."""
        taken: set[tuple[int, PairedPlayer]] = set()
        seats = [
            *((one.game, (one.white, one.black)) for one in paired_games),
            *((game, (player,)) for game, player, _ in self.byes),
        ]
        for game, players in seats:
            number = _round(game)
            if not number:
                written = printable(game.tags.get("round", "")[:20]) or "?"
                values = {"written": written, "most": MAX_ROUNDS}
                self.add("pgn.rounds_in_order", "rounds", **values)
                return False
            for player in players:
                if (number, player) in taken:
                    name = player.name or player.member_id or player.fide_id
                    values = {"player": name, "number": number}
                    self.add("pgn.rounds_in_order/twice", "rounds", **values)
                    return False
                taken.add((number, player))
        return True

    def _enter_by_tags(self, paired_games: Sequence[_PairedGame]) -> None:
        for one in paired_games:
            enter_game(_round(one.game), one.white, one.black, one.codes)
        for game, player, code in self.byes:
            player.rounds[_round(game)] = Cell(code)
        self._report_missing_rounds()

    def _report_missing_rounds(self) -> None:
        numbers = {number for player in self.people.players for number in player.rounds}
        last = max(numbers, default=0)
        missing = [str(number) for number in range(1, last) if number not in numbers]
        if missing:
            listed = ", ".join(missing)
            self.add("pgn.rounds_missing", "rounds", last=last, listed=listed)

    def _enter_in_order(self, paired_games: Sequence[_PairedGame]) -> None:
        for one in sorted(paired_games, key=lambda one: _sort_key(one.game)):
            if number := _first_free(one.white, one.black):
                enter_game(number, one.white, one.black, one.codes)
            else:
                self._add_finding("pgn.no_room", one.game, most=MAX_ROUNDS)
        for game, player, code in self.byes:
            if number := _first_free(player):
                player.rounds[number] = Cell(code)
            else:
                self._add_finding("pgn.no_room", game, most=MAX_ROUNDS)

    def _stated_rounds(self) -> int:
        """Return how many rounds the games say the event has, 0 if they do not."""
        matches = (_ROUND.fullmatch(game.tag("EventRounds")) for game in self.games)
        rounds = max((int(match[1]) for match in matches if match), default=0)
        return rounds if rounds <= MAX_ROUNDS else 0

    # What all games have in common

    def _days(self) -> tuple[date | None, date | None]:
        """Return the first and the last day, and report games without one."""
        days = [_day(game) for game in self.games]
        if undated := days.count(None):
            written = self.games[days.index(None)].tags.get("date", "")[:20]
            name = "pgn.date" if undated > 1 else "pgn.date/one"
            self.add(name, "starts", games=undated, written=printable(written))
        begun = [_clear_date(game.tag("EventDate")) for game in self.games[:1]]
        known = [day for day in days if day]
        first = min([*known, *filter(None, begun)], default=None)
        return first, max(known, default=None)

    def _time_control(self) -> str:
        """Return the time control of all games, blank if they differ."""
        written_texts = (game.tag("TimeControl") for game in self.games)
        counts = Counter(clean_text(text, 200) for text in written_texts)
        counts.pop("", None)
        controls = {
            text: _control(text, online=self.online)[:_MAX_CONTROL_LENGTH]
            for text in counts
        }
        if len(set(controls.values())) > 1:
            listed = [
                f"{controls[written]} ({count:,})"
                for written, count in counts.most_common(_MAX_LISTED)
            ]
            shown = translatable_list(listed)
            self.add("pgn.time_controls", "time_control", listed=shown)
            return ""
        for written, control in controls.items():
            if written != control:
                typed = "/typed" if _is_in_minutes(written) and not self.online else ""
                values = {"written": written, "control": control}
                self.add(f"pgn.time_control{typed}", "time_control", **values)
            return control
        return ""


def _unique_games(games: Iterable[PgnGame], findings: Collector) -> list[PgnGame]:
    """Return each game once, though a file of the whole event repeats it.

    Missing data comes from the other copies. A likely copy is kept and asked about.
    """
    every = [
        GameRecord(
            game,
            section=_section_key(game),
            day=_day(game),
            round_number=_round(game),
            codes=_codes(game),
        )
        for game in games
    ]
    copies = DuplicateFinder(every)
    kept: list[GameRecord] = []
    for record in every:
        other, is_certain = copies.add(record)
        if other:
            name = "pgn.twice" if is_certain else "pgn.twice/likely"
            copied = {"other_line": other.game.line, "other_file": other.game.file}
            _add_finding(findings, name, record.game, **copied)
        if other and is_certain:
            other.merge_from(record)
        else:
            kept.append(record)
    return [record.game for record in kept]


def _codes(game: PgnGame) -> tuple[str, str]:
    """Return the result codes of White and Black, blank if there is none."""
    return parse_game_result(_result(game)) or ("", "")


def _is_consistent(codes: tuple[str, str], ending: str) -> bool:
    """Return whether the codes fit the moves' ending, which has no sign for a forfeit.

    >>> _is_consistent(("W", "L"), "0-1"), _is_consistent(("X", "F"), "1-0")
    (False, True)
    >>> _is_consistent(("Z", "Z"), "*")
    True
    """
    if ending == "*":
        return codes[0] not in _PLAYED
    return parse_game_result(ending) == tuple(
        _AS_PLAYED.get(code, code) for code in codes
    )


def _round(game: PgnGame) -> int:
    """Return the round, 0 if the tag has none that fits in a report.

    Of "3.1" and "1.2(3)" the first number is the round, the others board and game.
    """
    match = _ROUND.match(game.tag("Round"))
    number = int(match[1]) if match else 0
    return number if number <= MAX_ROUNDS else 0


def _first_free(*players: PairedPlayer) -> int:
    """Return the first round in which all *players* are free, 0 if there is none."""
    if any(len(player.rounds) == MAX_ROUNDS for player in players):
        return 0
    for number in range(1, MAX_ROUNDS + 1):
        if not any(number in player.rounds for player in players):
            return number
    return 0


def _sort_key(game: PgnGame) -> tuple[str, str, int]:
    """Return the sort key of a game without a round; unknown days come last."""
    day = _day(game)
    time = game.tag("UTCTime") or game.tag("StartTime") or game.tag("Time")
    return (day.isoformat() if day else "~", time, _round(game))


def _day(game: PgnGame) -> date | None:
    return _clear_date(game.tag("Date")) or _clear_date(game.tag("UTCDate"))


def _clear_date(text: str) -> date | None:
    """Return an unambiguous date; ``_resolve_game_dates`` resolved the others."""
    days = set(possible_dates(text).values())
    return days.pop() if len(days) == 1 else None


def _control(written: str, *, online: bool) -> str:
    """Return our spelling; seconds that are not whole minutes stay as they are.

    >>> _control("5400+30", online=False), _control("40/7200:3600", online=False)
    ('G/90;+30', '40/120,SD/60;d0')
    >>> _control("90+30", online=False), _control("60+0", online=True)
    ('G/90;+30', 'G/1;d0')
    """
    if _STANDARD_CONTROL.fullmatch(written) and (online or not _is_in_minutes(written)):
        return parse_seconds_code(written) or written
    return normalize_time_control(written)


def _is_in_minutes(written: str) -> bool:
    """Return whether minutes were typed instead of the tag's seconds.

    No tournament has games of less than three minutes.

    >>> _is_in_minutes("60+30"), _is_in_minutes("3+2"), _is_in_minutes("180+2")
    (True, True, False)
    """
    typed = _TYPED_CONTROL.fullmatch(written.replace(" ", ""))
    return typed is not None and 0 < int(typed[1]) < _MIN_SECONDS
