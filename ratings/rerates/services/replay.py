"""Run the replay kernel over the records, chunk by chunk."""

from array import array
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import lru_cache, partial
from itertools import pairwise
from operator import eq
from time import perf_counter
from typing import NamedTuple

from django.utils.translation import gettext as _

from events.records.packed_section import (
    PackedColumns,
    UnpackedSection,
    pack,
    packed_players,
    split_columns,
)
from ratings.engine.inputs import Kind, Record
from ratings.engine.replay import INTERPRETED, Kernel, replay
from ratings.engine.replay.arrays import (
    ADJUSTMENT,
    MIXED,
    NAN,
    NO_RECORD,
    NO_RULE,
    OPENING,
    SECTION,
    SYSTEMS,
    Program,
    Results,
    World,
)
from ratings.engine.replay.kernel import newest_lowering, peak_after, peak_in_force
from ratings.engine.replay.layout import LayOut, lay_out
from ratings.engine.replay.rule_rows import WIDTH, RuleTable, unknown_rules
from ratings.engine.rule_history import NoRuleInForce
from ratings.engine.rules import Rules
from ratings.engine.systems import System
from ratings.engine.time_controls import (
    BadTimeControl,
    NotRatable,
    parse_time_control,
    systems_for,
)
from ratings.engine.variation.variations import NO_VARIATION, Variation
from ratings.ledger.services.digests import RECORD_NUMBER
from ratings.ledger.services.rating_inputs import SectionFacts
from ratings.models import Adjustment, OpeningEntry
from ratings.rerates.services.games import Games, Seating
from ratings.rerates.services.initial_state import (
    CurrentRatings,
    InitialState,
    Window,
    read_initial_state,
)
from ratings.rerates.services.kernel_compiler import compiled_kernel, loop_for
from ratings.rerates.services.players import (
    SYSTEM_NUMBER,
    PlayerIndex,
    is_small_subset,
    read_owners,
    read_people,
)
from ratings.rerates.services.sources import (
    NO_HYPOTHESIS,
    ForeignSource,
    Hypothesis,
    Source,
    read_sources,
)
from ratings_site.common.db.bulk import gc_paused
from ratings_site.common.db.parallel import ParallelConnections, Result

CHUNK_ROWS = 50_000
# Packed sections of so many bytes hold some 50,000 games.
COMPILE_FROM_BYTES = 500_000
_NO_SYSTEMS: tuple[int, ...] = ()
_REGULAR = SYSTEM_NUMBER[System.OTBR]


class NotReplayable(Exception):
    """The hypothesis cannot be rated; the message says why."""

    def __init__(self, left_out: "SkippedSource") -> None:
        super().__init__(left_out.why)
        self.source = left_out.source
        self.why = left_out.why


class SkippedSource(NamedTuple):
    """A source that cannot be calculated: these rules are not known for its day."""

    source: Source
    rules: list[str]
    edition: str

    @property
    def why(self) -> str:
        return _(
            "Missing rules for events starting on {day}, edition {edition}: {rules}."
        ).format(
            day=date.fromordinal(self.source.starts).isoformat(),
            edition=self.edition,
            rules=", ".join(self.rules),
        )


@dataclass(slots=True)
class Seconds:
    """The time that each part of a replay takes."""

    read: float = 0.0
    engine: float = 0.0
    write: float = 0.0


@dataclass(slots=True)
class Chunk:
    """A stretch of sources with the rows they gave.

    *sources* has one source per item of *program*. *results* is valid until the next
    chunk is requested; its rows are numbered from *first_row* over the whole run. Each
    of the *calculations* has source, system, first row and row after the last.
    """

    sources: list[Source]
    program: Program
    results: Results
    first_row: int
    calculations: list[tuple[Source, int, int, int]] = field(init=False)

    def __post_init__(self) -> None:
        done, used = self.results.calculations, self.results.calculations_used
        self.calculations = [
            (self.sources[item], system, first, end)
            for item, system, (first, end) in zip(
                done.item[:used],
                done.system[:used],
                pairwise(done.first_row[: used + 1]),
                strict=True,
            )
        ]


@dataclass(slots=True)
class History:
    """All inputs of a replay from a day on, and its progress."""

    sources: list[Source]
    player_index: PlayerIndex
    begin: InitialState
    world: World
    edition: str
    table: RuleTable = field(default_factory=RuleTable)
    varied: Variation = NO_VARIATION
    seconds: Seconds = field(default_factory=Seconds)
    kernel: Kernel = INTERPRETED
    # The place in the table of the rules of each row, numbered over the whole run.
    rules_of_row: "array[int]" = field(default_factory=lambda: array("i"))
    # Sources that could not be calculated so far.
    left_out: list[SkippedSource] = field(default_factory=list)
    # Foreign results of members whose rating is not established at that place.
    not_established: list[Source] = field(default_factory=list)
    # Today's ratings of these players, if they have been read.
    current: CurrentRatings | None = None
    _rules: dict[int, int] = field(default_factory=dict)
    _places: dict[str, int] = field(default_factory=dict)

    def again(self, varied: Variation = NO_VARIATION) -> "History":
        """Return the same history to be replayed under other rules, from its start.

        It shares the data that no replay changes. This one must not be replayed yet,
        either.
        """
        begin = self.begin.copied()
        table = RuleTable()
        world = self.world._replace(
            states=begin.states, matches=begin.matches, rules=table.rows
        )
        history = History(
            self.sources, self.player_index, begin, world, self.edition, table, varied
        )
        history.rules_of_row.extend(map(history.rules_place, begin.rules_days))
        return history

    def rules_place(self, day: int) -> int:
        """Return the place of the rules for sources that start on this day."""
        place = self._rules.get(day)
        if place is None:
            rules = self.rules_on(day)
            place = self._places.get(rules.digest)
            if place is None:
                place = self._places[rules.digest] = self.table.place(rules)
            self._rules[day] = place
        return place

    def rules_on(self, day: int) -> Rules:
        return self.varied.rules_on(date.fromordinal(day), self.edition)

    def rules_day(self, source: Source) -> int:
        """Return the day that decides which rules apply to a section or event."""
        if not self.varied:
            return source.starts
        starts, ends = map(date.fromordinal, (source.starts, source.day))
        return self.varied.day_of_rules(starts, ends).toordinal()

    def skip_source(self, source: Source, rules: Iterable[str] = ()) -> None:
        """Note a source that needs *rules* which are not known for its day.

        Raises NotReplayable for a hypothesis, so that the user gets the reason.
        """
        named = list(rules) or unknown_rules(self.rules_on(self.rules_day(source)))
        left_out = SkippedSource(source, named, self.edition)
        if isinstance(source.body, SectionFacts):
            raise NotReplayable(left_out)
        self.left_out.append(left_out)


@gc_paused()
def read_history(
    from_day: date | None,
    edition: str,
    supposed: Hypothesis = NO_HYPOTHESIS,
    also: Iterable[int] = (),
) -> History:
    """Read all inputs of a replay from *from_day* on (None: all history).

    *also* are members who take part even if none of their sources is replayed.
    """
    began = perf_counter()
    with ParallelConnections() as parallel:
        window = parallel.do(partial(Window.read, from_day))
        owner = read_owners(supposed)
        sources = read_sources(from_day, supposed)
        played = set(also)
        for source in sources:
            played.update(_players_of(source))
        owners = played - owner.keys() | {owner[one] for one in played & owner.keys()}
        current = None

        def read_current(players: Collection[int]) -> Result[CurrentRatings] | None:
            if from_day is None:
                return None
            return parallel.do(partial(CurrentRatings.read, players))

        if not is_small_subset(owners):
            current = read_current(owners)
        player_index = PlayerIndex.of(owners | window().players, owner)
        # For few players, only once all of them are known.
        current = current or read_current(player_index.ids)
        known = parallel.do(partial(read_people, player_index, supposed))
        begin = read_initial_state(player_index, from_day, window(), current, parallel)
        people = known()
    table = RuleTable()
    world = World(people, begin.states, begin.matches, Program.empty(), table.rows)
    edition = supposed.edition or edition
    history = History(
        sources,
        player_index,
        begin,
        world,
        edition,
        table,
        supposed.rules,
        current=current and current(),
    )
    history.rules_of_row.extend(map(history.rules_place, begin.rules_days))
    history.seconds.read = perf_counter() - began
    return history


def _players_of(source: Source) -> Sequence[int]:
    if isinstance(source.body, bytes):
        return packed_players(source.body)
    if isinstance(source.body, SectionFacts):
        return source.body.persons
    return (source.body.player_id,)


def replay_chunks(
    history: History,
    *,
    rows: int = CHUNK_ROWS,
    kernel: Kernel | None = None,
) -> Iterator[Chunk]:
    """Replay all sources; yield the results in chunks of about so many rows.

    Sources that need an unknown rule are left out, and noted in the history.
    """
    history.kernel = kernel or kernel_for(history)
    builder = _Builder(history, loop_for(lay_out, history.kernel))
    results = Results.empty(0)
    results.counts[0] = len(history.begin.lines)
    place = 0
    while place < len(history.sources):
        began = perf_counter()
        place = builder.build(place, rows)
        history.seconds.read += perf_counter() - began
        began = perf_counter()
        results = _with_room(results, builder.most_rows, len(builder.sources))
        _run(history, builder, results)
        chunk = Chunk(builder.sources, builder.program, results, int(results.counts[0]))
        _remember_rules(history, chunk)
        _remember_not_established(history, chunk)
        history.seconds.engine += perf_counter() - began
        yield chunk
        results.drain()


def kernel_for(history: History) -> Kernel:
    """Return the compiled kernel if there is enough work for it.

    Loading it takes a second or two, and compiling it the first time much longer.
    """
    size = 0
    for source in history.sources:
        size += len(source.body) if isinstance(source.body, bytes) else 0
        if size >= COMPILE_FROM_BYTES:
            return compiled_kernel() or INTERPRETED
    return INTERPRETED


def _with_room(results: Results, rows: int, items: int) -> Results:
    """Return results with room for so many rows, continuing the numbering."""
    calculations = 2 * items
    if len(results.rows.item) >= rows and len(results.calculations.item) >= (
        calculations
    ):
        return results
    wider = Results.empty(rows, calculations=calculations)
    wider.counts[0] = results.counts[0]
    return wider


def _remember_rules(history: History, chunk: Chunk) -> None:
    items, rules = chunk.results.calculations.item, chunk.program.items.rules
    for item, (*_source, first, end) in zip(items, chunk.calculations, strict=False):
        history.rules_of_row.extend(array("i", [rules[item]]) * (end - first))


def _remember_not_established(history: History, chunk: Chunk) -> None:
    """Note the foreign results that gave no line although they have games."""
    abroad = [
        source for source in chunk.sources if isinstance(source.body, ForeignSource)
    ]
    if not abroad:
        return
    done = {source[:6] for source, *_rest in chunk.calculations}
    done.update(one.source[:6] for one in history.left_out)
    history.not_established += [
        source
        for source in abroad
        if source.body.facts.results and source[:6] not in done
    ]


def _run(history: History, builder: "_Builder", results: Results) -> None:
    """Replay the program, stopping where a standing is to be assigned."""
    world = history.world._replace(program=builder.program, rules=history.table.rows)
    world.matches.reserve(builder.match_rows)
    first = 0
    for item in [*builder.waiting, len(builder.sources)]:
        _replay_all(history, world, builder, first, item, results)
        first = item
        if item < len(builder.sources):
            builder.waiting[item](world)
            if builder.left_out[item]:
                first = item + 1


def _replay_all(
    history: History,
    world: World,
    builder: "_Builder",
    first: int,
    last: int,
    results: Results,
) -> None:
    while True:
        stop = replay(world, first, last, results, history.kernel)
        if stop.reason != NO_RULE:
            break
        history.skip_source(builder.sources[stop.item])
        first = stop.item + 1
    if stop.item != last:
        raise RuntimeError(
            f"The replay stopped at item {stop.item} of {len(builder.sources)}, "
            f"reason {stop.reason}."
        )


class _Builder:
    """Turns sources into the kernel's program, a chunk at a time."""

    def __init__(self, history: History, lay_out: LayOut) -> None:
        self._history = history
        self._lay_out = lay_out
        # The states with a line so far; not needed once all openings are in.
        ratings = history.begin.states.rating
        self._seen = bytearray(map(eq, ratings, ratings))  # NaN is not equal to itself
        self._openings_to_come = sum(
            isinstance(source.body, OpeningEntry) for source in history.sources
        )
        self._start()

    def _start(self) -> None:
        self.program = Program.empty()
        self._games = Games()
        # The systems of the sections whose games wait to be laid out.
        self._systems: list[tuple[int, ...]] = []
        self.sources: list[Source] = []
        self.most_rows = 0
        self.match_rows = 0
        # Items that depend on the states before them.
        self.waiting: dict[int, Callable[[World], None]] = {}
        self.left_out: dict[int, bool] = {}

    def build(self, place: int, rows: int) -> int:
        """Build from source *place* on; return the place of the next chunk."""
        self._start()
        sources = self._history.sources
        while place < len(sources) and self.most_rows < rows:
            source = sources[place]
            try:
                self._add(source)
            except NoRuleInForce as missing:
                self._history.skip_source(source, [missing.rule])
            place += 1
        self._lay_out_games()
        return place

    def _lay_out_games(self) -> None:
        """Lay out the games so far; entries follow in their order."""
        if not self._systems:
            return
        seated = self._games.lay_out(
            self.program, self._history.player_index, self._lay_out
        )
        if self._openings_to_come:
            self._note_seen(seated)
        self._games, self._systems = Games(), []

    def _note_seen(self, seated: Seating) -> None:
        for section, systems in enumerate(self._systems):
            first, end = seated.first_entry[section : section + 2]
            for player in seated.players[first:end]:
                for system in systems:
                    self._seen[player * SYSTEMS + system] = 1

    def _add(self, source: Source) -> None:
        body = source.body
        if not isinstance(body, bytes | SectionFacts):
            self._lay_out_games()
        if isinstance(body, OpeningEntry):
            self._add_opening(source, body)
        elif isinstance(body, Adjustment):
            self._add_adjustment(source, body)
        elif isinstance(body, ForeignSource):
            self._add_foreign(source, body)
        else:
            self._add_section(source, _cut(body))

    def _take(self, source: Source, rows: int) -> None:
        self.sources.append(source)
        self.most_rows += rows

    def _add_opening(self, source: Source, body: OpeningEntry) -> None:
        self._openings_to_come -= 1
        player = self._history.player_index.number_of(body.player_id)
        system = SYSTEM_NUMBER[body.system]
        given = self.program.given.add(
            body.rating,
            body.games,
            record=RECORD_NUMBER[Record(body.record)],
            wins=body.wins,
            draws=body.draws,
            losses=body.losses,
            three_game_events=body.three_game_events,
            peak=NAN if body.peak is None else body.peak,
        )
        item = self.program.add_assigned(
            OPENING,
            player,
            given,
            day=source.day,
            rules=self._history.rules_place(source.day),
            system=system,
        )
        state = player * SYSTEMS + system
        if self._seen[state]:
            self._check_opening(item, state, body.games)
        self._seen[state] = 1
        self._take(source, 1)

    def _check_opening(self, item: int, state: int, games: int) -> None:
        """Leave out an opening that would take games away: it begins no history."""
        self.left_out[item] = False

        def look(world: World) -> None:
            self.left_out[item] = games < world.states.games[state]

        self.waiting[item] = look

    def _add_adjustment(self, source: Source, body: Adjustment) -> None:
        """An adjustment sets rating and games; the counts so far do not change."""
        player = self._history.player_index.number_of(body.player_id)
        system = SYSTEM_NUMBER[body.system]
        given = self.program.given.add(float(body.rating), body.games)
        rules = self._history.rules_place(source.day)
        item = self.program.add_assigned(
            ADJUSTMENT, player, given, day=source.day, rules=rules, system=system
        )
        state = player * SYSTEMS + system
        self._seen[state] = 1
        self.left_out[item] = False

        def fill(world: World) -> None:
            states, columns = world.states, world.program.given
            record = states.record[state]
            columns.record[given] = MIXED if record == NO_RECORD else record
            columns.wins[given] = states.wins[state]
            columns.draws[given] = states.draws[state]
            columns.losses[given] = states.losses[state]
            columns.three_game_events[given] = states.three_game_events[state]
            lowering = newest_lowering(world.people, player, system, source.day)
            row = world.rules[rules * WIDTH : (rules + 1) * WIDTH]
            columns.peak[given] = peak_after(
                peak_in_force(world.people, states, player, system, lowering),
                float(body.rating),
                body.games,
                row,
            )

        self.waiting[item] = fill
        self._take(source, 1)

    def _add_foreign(self, source: Source, body: ForeignSource) -> None:
        day = self._history.rules_day(source)
        rules = self._history.rules_on(day)
        self.program.add_foreign_event(
            self._history.player_index.number_of(body.player_id),
            body.facts.converted(rules, is_youth=body.is_youth),
            starts=source.starts,
            ends=source.day,
            rules=self._history.rules_place(day),
            system=_REGULAR,
            meetings=body.facts.meetings,
        )
        self._take(source, 1)

    def _add_section(self, source: Source, section: PackedColumns) -> None:
        systems = _systems(section.time_control, section.is_online, source.starts)
        if not systems:
            return
        is_match = section.kind == Kind.MATCH
        self.program.items.add(
            SECTION,
            starts=source.starts,
            ends=source.day,
            rules=self._history.rules_place(self._history.rules_day(source)),
            system_a=systems[0],
            system_b=systems[1] if len(systems) == 2 else -1,
            is_match=is_match,
            lower_k=len(systems) == 2,
        )
        rows = self._games.add(section) * len(systems)
        self._systems.append(systems)
        self.match_rows += rows if is_match else 0
        self._take(source, rows)


def _cut(body: bytes | SectionFacts) -> PackedColumns:
    return split_columns(body if isinstance(body, bytes) else pack(packed_facts(body)))


def packed_facts(facts: SectionFacts) -> UnpackedSection:
    """Return assumed facts in the form of a packed section."""
    place = {person: number for number, person in enumerate(facts.persons)}
    return UnpackedSection(
        kind=facts.kind,
        is_online=facts.is_online,
        starts=facts.starts,
        ends=facts.ends,
        time_control=facts.time_control.text,
        players=array("q", facts.persons),
        first=array("H", [place[game.a] for game in facts.games]),
        second=array("H", [place[game.b] for game in facts.games]),
        scores=bytes(3 * game.score_a + game.score_b for game in facts.games),
    )


@lru_cache(maxsize=65_536)
def _systems(time_control: str, is_online: bool, starts: int) -> tuple[int, ...]:
    """Return the systems of a section, none if it cannot be rated."""
    try:
        control = parse_time_control(time_control)
        systems = systems_for(control, online=is_online, day=date.fromordinal(starts))
    except (BadTimeControl, NotRatable, NoRuleInForce):
        return _NO_SYSTEMS
    return tuple(SYSTEM_NUMBER[system] for system in systems)
