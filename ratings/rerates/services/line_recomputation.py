"""Compute each line of the ledger again from its own columns and the line before.

A replay proves a line only if all before it is in order. Here each is checked
independently, so a forged line is found whatever rerates are pending: the rating
before, the start, floor, ceiling and match changes come from the line, the games from
the records.
"""

import math
from collections import defaultdict, deque
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import islice, product
from typing import Any, NamedTuple

from events.models import (
    ForeignResult,
    PackedSection,
    Section,
    SectionVersion,
)
from events.models.documents import SectionDocument
from events.records.packed_section import UnpackedSection, unpack
from events.records.services.packing import unpacked_document
from players.models import Player, PlayerMerge
from ratings.engine import ENGINE_VERSION
from ratings.engine.age_based_start import remaining_age_start
from ratings.engine.inputs import AssignedRating, Competitor, Record
from ratings.engine.matches import MatchChange, MatchNets, window_starts
from ratings.engine.numbers import exact_sum
from ratings.engine.results import peak_after
from ratings.engine.rules import Rules, rules_in_force
from ratings.engine.section import rate_section
from ratings.engine.systems import System
from ratings.ledger.services.digests import (
    adjustment_digest,
    lines_digest,
    opening_digest,
)
from ratings.ledger.services.foreign_facts import foreign_facts, foreign_result_digest
from ratings.ledger.services.ledger_lines import (
    UNRATABLE_ERRORS,
    line_values,
    pre_state,
)
from ratings.ledger.services.player_states import RatingState
from ratings.ledger.services.rating import (
    adjusted_line,
    opening_line,
    rated_foreign_line,
)
from ratings.ledger.services.rating_inputs import facts_from_packed, tallies
from ratings.ledger.services.rating_order import (
    OrderKey,
    adjustment_order_key,
    foreign_order_key,
    opening_order_key,
)
from ratings.models import Adjustment, Calculation, OpeningEntry, RatingChange
from ratings.rerates.services.ledger_columns import COPIED
from ratings.rerates.services.states_before import states_after_lines

BATCH_SIZE = 500
# How many assignments of merged members to lines are tried.
MAX_ASSIGNMENTS = 1000

# A stored line of the ledger: hundreds of thousands are read one by one, so none is
# instantiated as a model.
STORED = ("pk", "calculation_id", "player_id", "previous_id", *COPIED)
FIRST_COPIED = len(STORED) - len(COPIED)

Line = Any
"""A named row of the columns `STORED`."""

Lines = dict[int, Line]
"""The lines of one calculation by member."""


@dataclass(frozen=True, slots=True)
class Recomputation:
    """A recomputed calculation: lines by member, digest order and place.

    A line is its columns by name. *order* is the order of the members in the digest.
    *digest* is empty if the records have changed since, and only the rating is
    compared.
    """

    lines: dict[int, dict[str, Any]]
    order: Sequence[int]
    place: OrderKey | None
    digest: str


Fault = tuple[str, int | None]
"""A sentence, and the member it is about."""


def find_faults() -> Iterator[tuple[Calculation, int, list[Fault]]]:
    """Yield each current calculation, how many lines it has, and its faults."""
    last = 0
    current = Calculation.objects.filter(is_current=True).order_by("pk")
    while some := list(current.filter(pk__gt=last)[:BATCH_SIZE]):
        last = some[-1].pk
        batch = _Batch(some)
        for calculation in some:
            lines = batch.lines[calculation.pk]
            yield calculation, len(lines), list(batch.faults(calculation, lines))


class _Batch:
    """Some calculations with all records that they need."""

    def __init__(self, calculations: Sequence[Calculation]) -> None:
        self.lines: defaultdict[int, Lines] = defaultdict(dict)
        numbers = [one.pk for one in calculations]
        stored = RatingChange.objects.filter(calculation__in_array=numbers).order_by()
        before = set()
        for line in stored.values_list(*STORED, named=True):
            self.lines[line.calculation_id][line.player_id] = line
            before.add(line.previous_id)
        self.before = states_after_lines(before - {None})
        self.openings = OpeningEntry.objects.in_bulk(_named(calculations, "opening"))
        self.adjustments = Adjustment.objects.in_bulk(
            _named(calculations, "adjustment")
        )
        self.foreign = (
            ForeignResult.objects.select_related("event")
            .prefetch_related("games")
            .in_bulk(_named(calculations, "foreign"))
        )
        self._read_sections(_named(calculations, "section"))

    def _read_sections(self, sections: set[int]) -> None:
        self.sections = Section.objects.select_related("event").in_bulk(sections)
        self.packed = PackedSection.objects.in_bulk(sections, field_name="section_id")
        self.versions = {
            (one.section_id, one.number): one.document
            for one in SectionVersion.objects.filter(section__in=sections)
        }

    def faults(self, calculation: Calculation, lines: Lines) -> Iterator[Fault]:
        rules = rules_in_force(calculation.rules_day, calculation.edition)
        before: dict[int, RatingState | None] = {}
        nobody = (None, None, None)
        for player, line in lines.items():
            *whose, before[player] = self.before.get(line.previous_id, nobody)
            if line.previous_id and whose != [player, calculation.system]:
                yield "the line continues no line of this member and system.", player
                return
            if _is_rated_too_early(calculation, line, rules):
                yield "it is rated abroad without an established rating.", player
                return
        found: list[Fault] = []
        try:
            for again in self._recomputations(calculation, lines, before, rules):
                differing = list(_compare(calculation, lines, again, rules))
                if not differing:
                    return
                found = found or differing
        except UNRATABLE_ERRORS as error:
            found = [(f"it cannot be computed again: {error}", None)]
        yield from found

    def _recomputations(
        self,
        calculation: Calculation,
        lines: Lines,
        before: dict[int, RatingState | None],
        rules: Rules,
    ) -> Iterator[Recomputation]:
        """Yield each way in which it may have been computed, usually one."""
        if calculation.section_id is not None:
            source = self._section_source(calculation)
            if source is None:
                return
            for owners in _owner_assignments(source, lines):
                yield self._section(calculation, source, owners, lines, before, rules)
            return
        if len(lines) != 1:
            yield Recomputation({}, (), None, "")
            return
        [line] = lines.values()
        again = self._single(calculation, line, before[line.player_id], rules)
        if again is not None:
            yield again

    def _single(
        self,
        calculation: Calculation,
        line: Line,
        before: RatingState | None,
        rules: Rules,
    ) -> Recomputation | None:
        """Compute a source with one line: opening, adjustment or foreign result."""
        if calculation.opening_id is not None:
            entry = self.openings[calculation.opening_id]
            again = opening_line(entry)
            for name, value in pre_state(before).items():
                setattr(again, name, value)
            place, digest = opening_order_key(entry), opening_digest(entry)
        elif calculation.adjustment_id is not None:
            adjustment = self.adjustments[calculation.adjustment_id]
            again = adjusted_line(adjustment, before, rules)
            place = adjustment_order_key(adjustment)
            digest = adjustment_digest(adjustment)
        else:
            result = self.foreign[calculation.foreign_id]
            if result.version > 1:
                return None  # it may be based on earlier games
            in_rounds = sorted(
                result.games.all(), key=lambda game: (game.round_number, game.pk)
            )
            facts = foreign_facts(in_rounds)
            again = rated_foreign_line(
                _competitor(line, result.event.ends),
                before,
                facts,
                rules,
                is_youth=result.event.is_youth,
            )
            place = foreign_order_key(result)
            digest = foreign_result_digest(result, facts)
        player = line.player_id
        values = {name: getattr(again, name) for name in COPIED}
        return Recomputation({player: values}, (player,), place, digest)

    def _section(
        self,
        calculation: Calculation,
        source: "_SectionSource",
        owners: Mapping[int, int],
        lines: Lines,
        before: dict[int, RatingState | None],
        rules: Rules,
    ) -> Recomputation:
        facts = facts_from_packed(source.unpacked, owners)
        done = tallies(facts.games)
        competitors = {
            player: _competitor(lines[player], facts.ends)
            for player in facts.persons
            if player in lines
        }
        if done.keys() != lines.keys():
            return Recomputation({}, (), None, "")
        system = System(calculation.system)
        rating_input = facts.rating_input(system, competitors.values())
        again = {
            player: line_values(
                result,
                competitors[player],
                before[player],
                done[player],
                rules,
                _nets(lines[player]),
            )
            for player, result in zip(
                competitors, rate_section(rating_input, rules), strict=True
            )
        }
        return Recomputation(again, list(competitors), source.place, source.digest)

    def _section_source(self, calculation: Calculation) -> "_SectionSource | None":
        """Return the section in the version that was rated, None if not stored."""
        section = self.sections[calculation.section_id]
        packed = self.packed[section.pk]
        if packed.version == calculation.section_version:
            unpacked, digest = unpack(bytes(packed.data)), packed.digest
        else:
            document = self.versions.get((section.pk, calculation.section_version))
            if document is None:
                return None
            unpacked, digest = (
                unpacked_document(SectionDocument.from_text(document)),
                "",
            )
        dates = (unpacked.ends, Calculation.Rank.SECTION, unpacked.starts)
        place = (*dates, section.event.event_id, section.number)
        return _SectionSource(unpacked, place, digest)


class _SectionSource(NamedTuple):
    """A section as it was rated, with its place and its digest, if known.

    Its players are the numbers as they were reported, even if they were merged later.
    """

    unpacked: UnpackedSection
    place: OrderKey
    digest: str


def _owner_assignments(
    source: "_SectionSource", lines: Lines
) -> Iterator[dict[int, int]]:
    """Yield the possible owners of the players when the section was rated.

    Players without a line of their own were merged then, or had no game. If they have
    been merged with several who have lines, the assignment gives each line a player.
    """
    section = source.unpacked
    owners = {player: player for player in section.players}
    looked_for = [player for player in owners if player not in lines]
    if not looked_for:
        yield owners
        return
    went_on = _merges_of(looked_for)
    played = {section.players[seat] for seat in {*section.first, *section.second}}
    choices = []
    for number in looked_for:
        with_lines = [one for one in went_on[number] if one in lines]
        is_idle = number not in played
        choices.append([*with_lines, number] if is_idle else with_lines or [number])
    unexplained = lines.keys() - owners.keys()
    ways = list(islice(product(*choices), MAX_ASSIGNMENTS))
    for way in [one for one in ways if unexplained <= set(one)] or ways[:1]:
        yield owners | dict(zip(looked_for, way, strict=True))


def _merges_of(numbers: Collection[int]) -> dict[int, list[int]]:
    """Return the current owner of each number, and then all owners it has ever had.

    A merge that was undone may have applied when the section was rated, and so may
    later merges of the number that was kept.
    """
    kept_by: defaultdict[int, list[int]] = defaultdict(list)
    now = Player.objects.filter(pk__in=numbers, merged_into__isnull=False)
    for number, kept in now.values_list("pk", "merged_into_id"):
        kept_by[number].append(kept)
    known, waiting = set(numbers), set(numbers)
    while waiting:
        ever = PlayerMerge.objects.filter(merged__in=waiting).order_by("-pk")
        waiting = set()
        for number, kept in ever.values_list("merged_id", "kept_id"):
            kept_by[number].append(kept)
            waiting.add(kept)
        waiting -= known
        known |= waiting
    return {number: _all_kept(number, kept_by) for number in numbers}


def _all_kept(number: int, kept_by: Mapping[int, Sequence[int]]) -> list[int]:
    """Return all owners reached from a number, the nearest first."""
    reached, waiting = [], deque([number])
    seen = {number}
    while waiting:
        for kept in kept_by[waiting.popleft()]:
            if kept not in seen:
                seen.add(kept)
                reached.append(kept)
                waiting.append(kept)
    return reached


def _competitor(line: Line, day: date) -> Competitor:
    """Return the competitor that the line describes."""
    is_rated = line.pre_rating is not None
    return Competitor(
        id=line.player_id,
        rating=line.pre_rating,
        games=line.pre_games,
        record=Record(line.pre_record),
        floor=line.floor_given,
        ceiling=line.ceiling_given,
        initial=None
        if is_rated
        else AssignedRating(line.initial_rating, line.initial_games),
        match_changes=_changes(line, day),
    )


def _changes(line: Line, day: date) -> tuple[MatchChange, ...]:
    """Return matches with exactly the net changes of a line."""
    nets = _nets(line)
    if nets is None:
        return ()
    long_ago, _ = window_starts(day)
    earlier = nets.in_3_years - nets.in_180_days
    rest = exact_sum([nets.in_3_years, -nets.in_180_days, -earlier])
    return (
        MatchChange(day, nets.in_180_days),
        MatchChange(long_ago, earlier),
        MatchChange(long_ago, rest),
    )


def _nets(line: Line) -> MatchNets | None:
    if line.match_net_180 is None:
        return None
    return MatchNets(line.match_net_180, line.match_net_3y)


def _is_rated_too_early(calculation: Calculation, line: Line, rules: Rules) -> bool:
    """Return whether a foreign result is rated from a rating that is not established.

    Engines before 1.1 did that where history was corrected; a pending rerate says so.
    """
    return (
        calculation.foreign_id is not None
        and calculation.engine_version == ENGINE_VERSION
        and line.pre_games <= rules.established_after
    )


def _named(calculations: Iterable[Calculation], source: str) -> set[int]:
    found = {getattr(one, f"{source}_id") for one in calculations}
    return found - {None}


def _compare(
    calculation: Calculation, lines: Lines, again: Recomputation, rules: Rules
) -> Iterator[Fault]:
    if lines.keys() != again.lines.keys():
        yield "the members with lines are not those who played.", None
        return
    if again.place is not None and calculation.order_key != again.place:
        yield "its place in rating order is not that of its source.", None
    for player, line in lines.items():
        wanted = again.lines[player]
        if line[FIRST_COPIED:] == tuple(map(wanted.__getitem__, COPIED)):
            continue
        differing = [
            name
            for name in COPIED
            if getattr(line, name) not in _allowed(line, wanted, name, rules)
        ]
        if differing:
            yield f"{', '.join(differing)} do not follow from the inputs.", player
    if again.digest and calculation.engine_version == ENGINE_VERSION:
        digest = lines_digest(
            [lines[player] for player in again.order],
            source_digest=again.digest,
            system=calculation.system,
            rules=rules,
        )
        if digest != calculation.inputs_digest:
            yield "the inputs digest is different.", None


def _allowed(
    line: Line, wanted: dict[str, Any], name: str, rules: Rules
) -> tuple[Any, ...]:
    """Return the values allowed in a column in addition to the recomputed one.

    A lowered floor restarts the peak. Only the replay knows the other ratings behind a
    blended start, so one near the result may be marked as age-based.
    """
    if name == "age_start" and line.pre_rating is None and line.initial_games:
        near = remaining_age_start(line.post_rating, [line.age_start or math.nan])
        return None, near
    if name != "peak":
        return (wanted[name],)
    begun_again = peak_after(
        None, wanted["post_rating"], wanted["post_games"], rules.established_after
    )
    return wanted[name], begun_again
