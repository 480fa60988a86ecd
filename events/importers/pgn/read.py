"""Games in PGN as a report: by their tags; moves only tell whether a game was played.

The games of one event and section, from any number of files, are one section. Where
the Round tags give every player one game a round, they are its rounds; a match, an
arena or a week of casual games is put into the first rounds that are free. Like the
other readers this one raises nothing, and a game with a result is either in the report
or in a finding that names it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date

from events.importers.archive import printable
from events.importers.days import readings
from events.importers.dbf.layout_2c import MAX_ROUNDS, MAX_SECTIONS
from events.importers.dbf.tables import MAX_RECORDS
from events.importers.findings import Collector, Place
from events.importers.foreign.records import tidy
from events.importers.pairings import PairedPlayer, enter_game, last_round
from events.importers.pgn.byes import bye_in
from events.importers.pgn.copies import Copies, Noted
from events.importers.pgn.people import People
from events.importers.pgn.servers import Play, is_address, told_place, where
from events.importers.pgn.tags import MOST_GAMES, PgnGame, games_in
from events.importers.pgn.unplayed import (
    bare,
    moves_shown,
    says_forfeit,
    says_not_played,
    unplayed_reason,
)
from events.importers.records import Cell, ReportedEvent, ReportedSection
from events.importers.sentences import say, say_list
from events.importers.tables.results import read_bye, read_game
from events.importers.time_controls import office_control
from events.importers.trf.heads import place_in
from events.importers.trf.times import from_seconds_code

_BEGINS = re.compile(
    rb'^[ \t]*\[[ \t]*(Event|Site|White|Black|Result)[ \t]+"',
    re.MULTILINE | re.IGNORECASE,
)
_BEGINS_WITHIN = 20_000
_ROUND = re.compile(r"0{0,3}([1-9][0-9]{0,2})(?![0-9])", re.ASCII)
_COUNTRY = re.compile(r"(.*\S)\s+([A-Z]{3})")
# Some broadcasts call every game an event.
_ROUND_AS_EVENT = re.compile(r"Round\s[0-9]{1,3}\b", re.IGNORECASE)
_ROUND_WORD = r"(?:round|rnd|rd|r|ronda|runde|ronde|rodada|runda|turno|tour|kolo|тур)"
_ROUND_IN_EVENT = re.compile(
    rf"""[\s(\[]*(?:\b
    (?P<first>[0-9]{{1,2}})(?:st|nd|rd|th|[.ªº])\s*{_ROUND_WORD}\b
    | \b{_ROUND_WORD}\.?\s*\#?\s*(?P<last>[0-9]{{1,2}})(?:\.[0-9]{{1,3}})?\b
    )[\s)\]]*""",
    re.IGNORECASE | re.VERBOSE,
)
_STANDARD = frozenset(("", "standard", "chess", "normal", "orthodox"))
_INITIAL = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR"
_STANDARD_CONTROL = re.compile(r"[0-9+:/*d]+", re.ASCII)
_TYPED_CONTROL = re.compile(r"([0-9]{1,3})[+d][0-9]{1,2}", re.ASCII)
_FEWEST_SECONDS = 180
_LONGEST_CONTROL = 60
_PLAYED = frozenset("WLD")
_AS_PLAYED = {"X": "W", "F": "L"}
# White's code of a game, and both codes if it was not played.
_AS_FORFEIT = {"W": ("X", "F"), "L": ("F", "X"), "D": ("Z", "Z")}
_MOST_LISTED = 8


def looks_like_pgn(name: str, data: bytes) -> bool:
    """Tell whether the file holds games, by its name or by a tag that begins a line.

    >>> looks_like_pgn("games.txt", b'[Event "May Open"]')
    True
    """
    return name.lower().endswith(".pgn") or bool(_BEGINS.search(_start(data)))


def _start(data: bytes) -> bytes:
    # In UTF-16 every other byte of these letters is zero.
    return data[:_BEGINS_WITHIN].removeprefix(b"\xef\xbb\xbf").replace(b"\x00", b"")


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
        games += games_in(name, data, findings)
    if len(games) > MOST_GAMES:
        findings.add("pgn.too_many", Place(file=games[-1].file), most=MOST_GAMES)
    named = list(_named(games[:MOST_GAMES], findings))
    if not named:
        for name, _ in files:
            findings.add("pgn.no_games", Place(file=name), name=name)
        return None
    return _event(named, findings)


def _named(games: Iterable[PgnGame], findings: Collector) -> Iterator[PgnGame]:
    """Yield the games that have tags; moves without any are nobody's game."""
    for game in games:
        if game.tags:
            yield game
        else:
            _tell(findings, "pgn.no_player" + ("" if game.ending else "/text"), game)


def _tell(findings: Collector, name: str, game: PgnGame, /, **values: object) -> None:
    """Add a finding about a game, which its sentence names by players and round."""
    findings.add(
        name,
        Place(game.file, field=f"line {game.line}"),
        line=game.line,
        white=tidy(game.tag("White"), 40) or "?",
        black=tidy(game.tag("Black"), 40) or "?",
        round=tidy(game.tag("Round"), 20) or "?",
        result=tidy(_result(game), 20) or "?",
        **values,
    )


def _result(game: PgnGame) -> str:
    """Return the result as the tag says, or where there is none the moves' end."""
    result = game.tags.get("result", "")
    return result if result.strip("?") else game.ending


# The event


def _event(games: Sequence[PgnGame], findings: Collector) -> ReportedEvent:
    games = _without_rounds(games)
    groups: dict[tuple[str, str], list[PgnGame]] = {}
    for game in _once(games, findings):
        groups.setdefault(_section_key(game), []).append(game)
    _tell_several(list(groups.values()), findings)
    sections = list(_sections(list(groups.values()), findings))
    starts = min((s.starts for s in sections if s.starts), default=None)
    ends = max((s.ends for s in sections if s.ends), default=None)
    city, state, zip_code, country = _place(games)
    return ReportedEvent(
        program="PGN",
        name=tidy(_event_name(games[0])),
        starts=starts,
        ends=ends,
        city=city,
        state=state,
        zip_code=zip_code,
        country=country,
        send_crosstable="N",
        sections=tuple(
            replace(
                section,
                starts=None if section.starts == starts else section.starts,
                ends=None if section.ends == ends else section.ends,
            )
            for section in sections
        ),
        total_sections=len(sections),
    )


def _section_key(game: PgnGame) -> tuple[str, str]:
    event, section = _event_name(game), game.tag("Section")
    return " ".join(event.casefold().split()), " ".join(section.casefold().split())


def _event_name(game: PgnGame) -> str:
    event = game.tag("Event")
    if event and not _ROUND_AS_EVENT.match(event):
        return event
    return game.tag("BroadcastName") or event


def _without_rounds(games: Sequence[PgnGame]) -> list[PgnGame]:
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
        number = match["first"] or match["last"]
        if all(_round(game) in (0, int(number)) for game in played):
            name = f"{event[: match.start()]} {event[match.end() :]}"
            names[event] = " ".join(name.strip(" -–—:;,|/").split())
            rounds[event] = number
    counts = Counter(name.casefold() for name in names.values() if name)
    return [
        _of_event(game, names[event], rounds[event])
        if counts[names.get(event := _event_name(game), "").casefold()] > 1
        else game
        for game in games
    ]


def _of_event(game: PgnGame, event: str, round_number: str) -> PgnGame:
    number = game.tag("Round") or round_number
    return replace(game, tags={**game.tags, "event": event, "round": number})


def _tell_several(groups: Sequence[Sequence[PgnGame]], findings: Collector) -> None:
    if len(groups) == 1:
        return
    names = [_section_name(games[0]) or say("without a name") for games in groups]
    place = Place(file=groups[1][0].file, field="sections")
    findings.add("pgn.several_events", place, listed=say_list(names[:_MOST_LISTED]))
    if len(groups) > MAX_SECTIONS:
        findings.add(
            "pgn.too_many/sections", place, sections=len(groups), most=MAX_SECTIONS
        )


def _section_name(game: PgnGame) -> str:
    return tidy(game.tag("Section") or _event_name(game), 60)


def _sections(
    groups: Sequence[Sequence[PgnGame]], findings: Collector
) -> Iterator[ReportedSection]:
    players = 0
    have_moves = any(not bare(game) for games in groups for game in games)
    for number, games in enumerate(groups[:MAX_SECTIONS], start=1):
        section = _Section(number, games, findings, have_moves=have_moves)
        players += len(section.people.players)
        if players > MAX_RECORDS:
            findings.add(
                "pgn.too_many/players",
                Place(file=games[0].file, field="players"),
                most=MAX_RECORDS,
                section=_section_name(games[0]),
            )
            return
        yield section.read()


def _place(games: Sequence[PgnGame]) -> tuple[str, str, str, str]:
    """Return city, state, ZIP code and country of the one place of all games."""
    sites = {tidy(game.tag("Site")) for game in games}
    site = sites.pop()
    if sites or is_address(site):
        return "", "", "", ""
    match = _COUNTRY.fullmatch(site)
    return *place_in(match[1] if match else site), match[2] if match else ""


# A section


@dataclass(frozen=True, slots=True)
class _Meeting:
    """A game that has its place in the report: who plays it, with which codes."""

    game: PgnGame
    white: PairedPlayer
    black: PairedPlayer
    codes: tuple[str, str]


class _Section:
    """Makes a section of its games."""

    def __init__(
        self,
        number: int,
        games: Sequence[PgnGame],
        findings: Collector,
        *,
        have_moves: bool,
    ) -> None:
        self.number = number
        self.findings = findings
        self.games = list(self._without_variants(games))
        self.name = _section_name(games[0])
        self.online = self._is_online()
        self.people = People(self.games, findings)
        self.byes: list[tuple[PgnGame, PairedPlayer, str]] = []
        self.have_moves = have_moves
        self.without_moves: list[PgnGame] = []

    def read(self) -> ReportedSection:
        meetings = list(self._meetings())
        self._tell_without_moves()
        by_tags = self._have_rounds(meetings)
        if by_tags:
            self._enter_by_tags(meetings)
        else:
            self._enter_in_order(meetings)
        players = self.people.players
        played = last_round(players)
        self.people.tell_alike(self.number)
        starts, ends = self._days()
        is_match = len(players) == 2 and len(meetings) > 1
        return ReportedSection(
            number=self.number,
            name=self.name,
            time_control=self._time_control(),
            kind_letter="M" if is_match else "S",
            rounds=max(played, self._rounds_said() if by_tags else 0) or None,
            last_pairing_number=len(players),
            starts=starts,
            ends=ends,
            online=self.online,
            entries=tuple(player.entry(played) for player in players),
        )

    def _is_online(self) -> bool:
        """Tell whether all games were played online; ask where the tags do not say."""
        plays = {where(game): game for game in reversed(self.games)}
        if not plays.keys() - {Play.ONLINE}:
            return bool(plays)
        if doubtful := plays.get(Play.UNSURE) or plays.get(Play.ONLINE):
            which = "" if Play.ONLINE not in plays else "/some"
            self.findings.add(
                f"pgn.online{which}",
                Place(section=self.number, field="online"),
                written=printable(told_place(doubtful)[:80]),
                line=doubtful.line,
            )
        return False

    def _tell(self, name: str, game: PgnGame, /, **values: object) -> None:
        _tell(self.findings, name, game, **values)

    def _without_variants(self, games: Iterable[PgnGame]) -> Iterator[PgnGame]:
        for game in games:
            variant = game.tag("Variant")
            if variant.lower() in _STANDARD:
                yield game
            else:
                self._tell("pgn.variant", game, variant=printable(variant[:40]))

    # Games

    def _meetings(self) -> Iterator[_Meeting]:
        for place, game in enumerate(self.games):
            white, black = self.people.of(place)
            if white is None or black is None:
                self._bye(game, white, black)
            elif white is black:
                self._tell("pgn.one_player", game)
            else:
                self._tell_doubts(game, _codes(game))
                yield _Meeting(game, white, black, self._codes(game))

    def _codes(self, game: PgnGame) -> tuple[str, str]:
        """Return the result codes: a forfeit where the file says that nobody played."""
        codes = _codes(game)
        if codes[0] not in _PLAYED:
            return codes
        reason = unplayed_reason(game)
        is_bare = bare(game)
        shown = printable(reason[:60])
        if is_bare and (
            says_not_played(reason) or (self.have_moves and says_forfeit(reason))
        ):
            self._tell("pgn.unplayed", game, reason=shown)
            return _AS_FORFEIT[codes[0]]
        if reason:
            self._tell("pgn.termination", game, termination=shown)
        elif is_bare and self._is_odd(game):
            self.without_moves.append(game)
        return codes

    def _is_odd(self, game: PgnGame) -> bool:
        """Tell whether a game without moves stands out among the games of the files."""
        return self.have_moves or moves_shown(game) == 1

    def _tell_without_moves(self) -> None:
        """Ask about games without moves: each, or all at once where most have none."""
        games = self.without_moves
        if len(games) > _MOST_LISTED and 2 * len(games) > len(self.games):
            listed = [
                f"{tidy(game.tag('White'), 40)} – {tidy(game.tag('Black'), 40)}"
                for game in games[:_MOST_LISTED]
            ]
            self.findings.add(
                "pgn.no_moves/many",
                Place(section=self.number, field="moves"),
                games=len(games),
                listed=", ".join(listed),
            )
            return
        for game in games:
            self._tell(f"pgn.no_moves{'/one' if moves_shown(game) else ''}", game)

    def _bye(
        self, game: PgnGame, white: PairedPlayer | None, black: PairedPlayer | None
    ) -> None:
        """Enter a bye, which some programs write as a game against no player."""
        said = bye_in(game.tag("White" if white is None else "Black"))
        won = _codes(game)[0 if black is None else 1]
        code = read_bye(_AS_PLAYED.get(won, won)) if won else said
        player = white or black
        if player is None or said is None or not code or (said and said != code):
            self._tell("pgn.no_player", game)
        else:
            self.byes.append((game, player, code))

    def _tell_doubts(self, game: PgnGame, codes: tuple[str, str]) -> None:
        if not codes[0]:
            shown = "/ending" if read_game(game.ending) else ""
            self._tell(f"pgn.no_result{shown}", game, ending=game.ending)
        elif game.ending and not _agree(codes, game.ending):
            self._tell("pgn.other_ending", game, ending=game.ending)
        if not game.tag("FEN").startswith(_INITIAL) and game.tag("FEN"):
            self._tell("pgn.position", game)

    # Rounds

    def _have_rounds(self, meetings: Sequence[_Meeting]) -> bool:
        """Tell whether the Round tags are the rounds; if not, a finding says why."""
        taken: set[tuple[int, PairedPlayer]] = set()
        seats = [
            *((one.game, (one.white, one.black)) for one in meetings),
            *((game, (player,)) for game, player, _ in self.byes),
        ]
        for game, players in seats:
            number = _round(game)
            if not number:
                written = printable(game.tags.get("round", "")[:20]) or "?"
                self._tell_order("", written=written, most=MAX_ROUNDS)
                return False
            for player in players:
                if (number, player) in taken:
                    name = player.name or player.member_id or player.fide_id
                    self._tell_order("/twice", player=name, number=number)
                    return False
                taken.add((number, player))
        return True

    def _tell_order(self, why: str, /, **values: object) -> None:
        place = Place(section=self.number, field="rounds")
        self.findings.add(f"pgn.rounds_in_order{why}", place, **values)

    def _enter_by_tags(self, meetings: Sequence[_Meeting]) -> None:
        for one in meetings:
            enter_game(_round(one.game), one.white, one.black, one.codes)
        for game, player, code in self.byes:
            player.rounds[_round(game)] = Cell(code)
        self._tell_missing_rounds()

    def _tell_missing_rounds(self) -> None:
        held = {number for player in self.people.players for number in player.rounds}
        last = max(held, default=0)
        missing = [str(number) for number in range(1, last) if number not in held]
        if missing:
            self.findings.add(
                "pgn.rounds_missing",
                Place(section=self.number, field="rounds"),
                last=last,
                listed=", ".join(missing),
            )

    def _enter_in_order(self, meetings: Sequence[_Meeting]) -> None:
        for one in sorted(meetings, key=lambda one: _moment(one.game)):
            number = _first_free(one.white, one.black)
            if number:
                enter_game(number, one.white, one.black, one.codes)
            else:
                self._tell("pgn.no_room", one.game, most=MAX_ROUNDS)
        for game, player, code in self.byes:
            number = _first_free(player)
            if number:
                player.rounds[number] = Cell(code)
            else:
                self._tell("pgn.no_room", game, most=MAX_ROUNDS)

    def _rounds_said(self) -> int:
        """Return how many rounds the games say the event has, 0 if they do not."""
        said = (_ROUND.fullmatch(game.tag("EventRounds")) for game in self.games)
        rounds = max((int(match[1]) for match in said if match), default=0)
        return rounds if rounds <= MAX_ROUNDS else 0

    # What all games have in common

    def _days(self) -> tuple[date | None, date | None]:
        """Return the first and the last day, and tell of games without one."""
        days = [_day(game) for game in self.games]
        undated = [
            game for game, day in zip(self.games, days, strict=True) if day is None
        ]
        if undated:
            self.findings.add(
                "pgn.date" if len(undated) > 1 else "pgn.date/one",
                Place(section=self.number, field="starts"),
                games=len(undated),
                written=printable(undated[0].tags.get("date", "")[:20]),
            )
        begun = [_parsed_day(game.tag("EventDate")) for game in self.games[:1]]
        known = [day for day in days if day]
        first = min([*known, *filter(None, begun)], default=None)
        return first, max(known, default=None)

    def _time_control(self) -> str:
        """Return the time control of all games, blank if they differ."""
        counts = Counter(tidy(game.tag("TimeControl"), 200) for game in self.games)
        counts.pop("", None)
        controls = {
            text: _control(text, online=self.online)[:_LONGEST_CONTROL]
            for text in counts
        }
        place = Place(section=self.number, field="time_control")
        if len(set(controls.values())) > 1:
            listed = [
                f"{controls[written]} ({count:,})"
                for written, count in counts.most_common(_MOST_LISTED)
            ]
            self.findings.add("pgn.time_controls", place, listed=say_list(listed))
            return ""
        for written, control in controls.items():
            if written != control:
                name = "pgn.time_control"
                if _is_in_minutes(written) and not self.online:
                    name += "/typed"
                self.findings.add(name, place, written=written, control=control)
            return control
        return ""


def _once(games: Iterable[PgnGame], findings: Collector) -> list[PgnGame]:
    """Return each game once, though a file of the whole event repeats it.

    The copy with moves is kept. A likely copy is kept too, and asked about.
    """
    copies = Copies()
    kept: list[Noted] = []
    for game in games:
        noted = Noted(
            game,
            section=_section_key(game),
            day=_day(game),
            round_number=_round(game),
            codes=_codes(game),
        )
        other, is_certain = copies.add(noted)
        if other:
            _tell(
                findings,
                "pgn.twice" if is_certain else "pgn.twice/likely",
                game,
                other_line=other.game.line,
                other_file=other.game.file,
            )
        if other and is_certain:
            other.learn_moves(noted)
        else:
            kept.append(noted)
    return [noted.game for noted in kept]


def _codes(game: PgnGame) -> tuple[str, str]:
    """Return the result codes of White and Black, blank ones where there is none."""
    return read_game(_result(game)) or ("", "")


def _agree(codes: tuple[str, str], ending: str) -> bool:
    """Tell whether moves can end so; those of a forfeit have no sign of their own.

    >>> _agree(("W", "L"), "0-1"), _agree(("X", "F"), "1-0"), _agree(("Z", "Z"), "*")
    (False, True, True)
    """
    if ending == "*":
        return codes[0] not in _PLAYED
    return read_game(ending) == tuple(_AS_PLAYED.get(code, code) for code in codes)


def _round(game: PgnGame) -> int:
    """Return the round, 0 where the tag tells none that a report can hold.

    Of "3.1" and "1.2(3)" the first number is the round, the others board and game.
    """
    match = _ROUND.match(game.tag("Round"))
    number = int(match[1]) if match else 0
    return number if number <= MAX_ROUNDS else 0


def _first_free(*players: PairedPlayer) -> int:
    """Return the first round in which none of the *players* has anything, 0 if none."""
    if any(len(player.rounds) == MAX_ROUNDS for player in players):
        return 0
    for number in range(1, MAX_ROUNDS + 1):
        if not any(number in player.rounds for player in players):
            return number
    return 0


def _moment(game: PgnGame) -> tuple[str, str, int]:
    """Return what games without rounds are put in order by; unknown days come last."""
    day = _day(game)
    time = game.tag("UTCTime") or game.tag("StartTime") or game.tag("Time")
    return (day.isoformat() if day else "~", time, _round(game))


def _day(game: PgnGame) -> date | None:
    return _parsed_day(game.tag("Date")) or _parsed_day(game.tag("UTCDate"))


def _parsed_day(text: str) -> date | None:
    """Return the day if it can be one only; the standard writes 2024.05.04."""
    days = set(readings(text).values())
    return days.pop() if len(days) == 1 else None


def _control(written: str, *, online: bool) -> str:
    """Return our spelling; seconds that are not whole minutes stay as they are.

    >>> _control("5400+30", online=False), _control("40/7200:3600", online=False)
    ('G/90;+30', '40/120,SD/60;d0')
    >>> _control("90+30", online=False), _control("60+0", online=True)
    ('G/90;+30', 'G/1;d0')
    """
    if _STANDARD_CONTROL.fullmatch(written) and (online or not _is_in_minutes(written)):
        return from_seconds_code(written) or written
    return office_control(written)


def _is_in_minutes(written: str) -> bool:
    """Tell whether people typed minutes where the tag has seconds.

    No tournament has games of less than three minutes.

    >>> _is_in_minutes("60+30"), _is_in_minutes("3+2"), _is_in_minutes("180+2")
    (True, True, False)
    """
    typed = _TYPED_CONTROL.fullmatch(written.replace(" ", ""))
    return typed is not None and 0 < int(typed[1]) < _FEWEST_SECONDS
