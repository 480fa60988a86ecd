"""Check that the ledger follows from the records by the rules."""

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import date
from functools import partial
from operator import attrgetter
from typing import Any

from django.conf import settings
from django.db.models import Count, Exists, Max, OuterRef

from events.models import ForeignResult, PackedSection
from events.records.services.packing import pack_missing
from players.models import Player
from ratings.engine import ENGINE_VERSION
from ratings.engine.inputs import Kind
from ratings.ledger.services.digests import lines_digest
from ratings.ledger.services.ledger_lines import rate_facts
from ratings.ledger.services.projection import (
    ATTRIBUTES,
    FIELDS,
    PLAYER_BATCH_SIZE,
    expected_values,
    rated_players,
)
from ratings.ledger.services.rating_inputs import read_section_facts
from ratings.models import Calculation, PlayerRating, RatingChange
from ratings.rerates.services.ledger_columns import (
    COPIED,
    NEW,
    Candidate,
    Key,
    chunk_digests,
    line_columns,
    read_candidates,
)
from ratings.rerates.services.line_recomputation import find_faults
from ratings.rerates.services.players import SYSTEM_NAMES, batches
from ratings.rerates.services.replay import Chunk, History, read_history, replay_chunks
from ratings.rerates.services.sources import Source
from ratings.rerates.services.staged_ledger import read_lines
from ratings.rerates.services.start import earliest_pending_day
from ratings.rerates.services.states_before import states_before
from ratings_site.common.db.snapshot import snapshot

MAX_FAULTS = 20


@dataclass(slots=True)
class AuditCheck:
    """The result of one check of the audit. *faults* are sentences, not all of them.

    *expected* are differences that pending rerates explain: their days and counts. A
    pending rerate explains all differences from *marked_from* on.
    """

    question: str
    marked_from: date | None = None
    checked: int = 0
    wrong: int = 0
    faults: list[str] = field(default_factory=list)
    expected: Counter[date] = field(default_factory=Counter)

    @property
    def is_good(self) -> bool:
        return self.wrong == 0

    def fault(self, sentence: str, *, player: int | None = None) -> None:
        """Count a fault, and save its sentence with the name of the member."""
        self.wrong += 1
        if len(self.faults) < MAX_FAULTS:
            whose = "" if player is None else f"{Player.objects.get(pk=player)}: "
            self.faults.append(f"{whose}{sentence}")

    def differ(self, on: date, sentence: str, player: int | None = None) -> None:
        """Count a difference as a fault, or as explained by a pending rerate."""
        if self.marked_from is not None and on >= self.marked_from:
            self.expected[on] += 1
        else:
            self.fault(sentence, player=player)


def run_audit(size: int | None) -> Iterator[AuditCheck]:
    """Run all checks of the audit on one snapshot of the database.

    Writers are not blocked. *size* is that of the sample.
    """
    pack_missing()
    with snapshot():
        yield audit_ledger()
        yield audit_ratings()
        yield audit_chains()
        yield audit_lines()
        yield audit_sample(size)


def audit_ledger() -> AuditCheck:
    """Replay all history in memory and compare with the current ledger.

    All columns of all lines have to be equal to the last bit. From the first pending
    rerate on the ledger may differ; there the differences are only counted.
    """
    marked_from = earliest_pending_day()
    candidates = read_candidates(None, None)
    history = read_history(None, settings.RATING_EDITION)
    finding = AuditCheck("A full replay matches the ledger.", marked_from)
    comparison = _Comparison(history, candidates, finding)
    for chunk in replay_chunks(history):
        comparison.compare(chunk)
    comparison.finish()
    return finding


class _Comparison:
    """Compares a replay with the ledger, line by line."""

    def __init__(
        self, history: History, candidates: dict[Key, Candidate], finding: AuditCheck
    ) -> None:
        self._history = history
        self._candidates = candidates
        self._finding = finding
        # The line behind each row, numbered over the whole replay.
        self._lines = array("q")

    def compare(self, chunk: Chunk) -> None:
        found = [
            self._candidates.pop((source.rank, source.pk, system), None)
            for source, system, _, _ in chunk.calculations
        ]
        numbers = [one.pk for one in found if one]
        stored, older = read_lines(numbers, *COPIED), _of_older_engines(numbers)
        digests = chunk_digests(self._history, chunk)
        rows = list(
            zip(
                *line_columns(chunk.results.rows, range(chunk.results.rows_used)),
                strict=True,
            )
        )
        for (source, system, first, end), candidate, digest in zip(
            chunk.calculations, found, digests, strict=True
        ):
            lines = stored.get(candidate.pk, {}) if candidate else {}
            self._compare_lines(chunk, source, system, range(first, end), rows, lines)
            if candidate is None:
                self._differ(source, system, " is not rated.")
            elif candidate.digest != digest and candidate.pk not in older:
                self._differ(source, system, " has a different inputs digest.")

    def _compare_lines(
        self,
        chunk: Chunk,
        source: Source,
        system: int,
        places: range,
        rows: list[tuple[Any, ...]],
        lines: dict[int, tuple[Any, ...]],
    ) -> None:
        columns, ids = chunk.results.rows, self._history.player_index.ids
        differ = partial(self._differ, source, system)
        for row in places:
            player = ids[columns.player[row]]
            line = lines.pop(player, (NEW, None))
            pk, previous, stored = line[0], line[1], line[2:]
            before = columns.previous_row[row]
            self._lines.append(pk)
            self._finding.checked += 1
            if pk == NEW:
                differ(" has no line of this member.", player)
            elif stored != rows[row]:
                names = _differing(COPIED, stored, rows[row])
                differ(f": the replay differs in {names}.", player)
            elif previous != (self._lines[before] if before >= 0 else None):
                differ(
                    ": the line continues a different line than in the replay.", player
                )
        for player in lines:
            differ(" has a line of this member, who has no game in it.", player)

    def finish(self) -> None:
        """Report calculations of the ledger that have lines but no source."""
        left = {one.pk for one in self._candidates.values()}
        for batch in batches(sorted(left)):
            calculations = (
                Calculation.objects.filter(pk__in_array=batch, changes__isnull=False)
                .select_related("foreign")
                .distinct()
            )
            for calculation in calculations:
                self._finding.differ(
                    calculation.order_date,
                    f"Calculation {calculation.pk} ({calculation.order_key}) "
                    f"{_no_line_reason(calculation)}",
                )

    def _differ(
        self, source: Source, system: int, what: str, player: int | None = None
    ) -> None:
        day = date.fromordinal(source.day)
        self._finding.differ(day, f"{named(source, system)}{what}", player)


def _no_line_reason(calculation: Calculation) -> str:
    abroad = calculation.foreign
    if abroad is not None and abroad.status == ForeignResult.Status.RATED:
        return "rates a member abroad whose rating is not established there."
    return "no longer has a source."


def _of_older_engines(calculations: Iterable[int]) -> set[int]:
    """Return calculations of older engines: only their lines are compared."""
    found: set[int] = set()
    for batch in batches(calculations):
        some = Calculation.objects.filter(pk__in_array=batch).order_by()
        older = some.exclude(engine_version=ENGINE_VERSION)
        found.update(older.values_list("pk", flat=True))
    return found


def named(source: Source, system: int) -> str:
    kind = Calculation.Rank(source.rank).label.lower()
    where = f" {source.event_id}/{source.number}" if source.event_id else ""
    return f"{kind.capitalize()}{where} ({source.pk}), {SYSTEM_NAMES[system]}"


def _differing(names: Iterable[str], ones: Iterable[Any], others: Iterable[Any]) -> str:
    """Return the names of the columns in which two rows differ."""
    columns = zip(names, ones, others, strict=True)
    return ", ".join(name for name, one, other in columns if one != other)


def audit_ratings() -> AuditCheck:
    """Compare every current rating, in all columns, with the ledger."""
    finding = AuditCheck("Every current rating matches the ledger.")
    for batch in batches(sorted(rated_players()), PLAYER_BATCH_SIZE):
        expected = {
            (player, system): values
            for player, system, *values in expected_values(batch)
        }
        rows = PlayerRating.objects.filter(player__in_array=batch).order_by(
            "player", "system"
        )
        for player, system, *values in rows.values_list(
            "player_id", "system", *ATTRIBUTES
        ):
            finding.checked += 1
            wanted = expected.pop((player, system), None)
            rating = f"the current {system} rating"
            if wanted is None:
                finding.fault(f"{rating} has no line in the ledger.", player=player)
            elif values != wanted:
                names = _differing(FIELDS, values, wanted)
                finding.fault(
                    f"{rating} is not what the ledger says: {names}.", player=player
                )
        for player, system in expected:
            finding.fault(f"there is no current {system} rating.", player=player)
    return finding


def audit_chains() -> AuditCheck:
    """Follow each member's current lines in each system from one to the next.

    One begins the chain, each other continues a current one, and no two continue the
    same: so there is one end. Pending rerates explain the lines that an undone rerate
    leaves.
    """
    finding = AuditCheck(
        "The rating changes of each member and system form one chain.",
        earliest_pending_day(),
    )
    current = RatingChange.objects.filter(calculation__is_current=True).order_by()
    finding.checked = current.count()
    day, system = "calculation__order_date", "calculation__system"
    before = current.filter(
        pk=OuterRef("previous_id"),
        player=OuterRef("player"),
        calculation__system=OuterRef(system),
    )
    later = current.filter(previous_id__isnull=False)
    loose = later.filter(~Exists(before))
    for on, name, player in loose.values_list(day, system, "player_id").iterator():
        finding.differ(
            on, f"a current {name} line continues one that is not current.", player
        )
    for rows, sentence in (
        (later.values("previous_id", "player_id", system), "continue the same line."),
        (current.filter(previous_id=None).values("player_id", system), "begin it."),
    ):
        several = rows.annotate(lines=Count("pk"), on=Max(day)).filter(lines__gt=1)
        for row in several.iterator():
            text = f"{row['lines']} current {row[system]} lines {sentence}"
            finding.differ(row["on"], text, row["player_id"])
    return finding


def audit_lines() -> AuditCheck:
    """Compute each current line again from its own inputs and the line before it.

    A pending rerate does not explain a difference here.
    """
    finding = AuditCheck(
        "Each rating change follows from its inputs and the one before."
    )
    for calculation, lines, faults in find_faults():
        finding.checked += lines
        for sentence, player in faults:
            where = f"Calculation {calculation.pk} ({calculation.system})"
            finding.fault(f"{where}: {sentence}", player=player)
    return finding


def audit_sample(size: int | None) -> AuditCheck:
    """Rate some sections again with the readable engine, from the current records.

    The players' states come from the ledger as of the section's place in rating order.
    *size* None takes all. Sections from the first pending rerate on are left out,
    because their lines may not be in order.
    """
    finding = AuditCheck("A sample of sections gives the same ratings again.")
    for calculation in _sampled(size):
        finding.checked += 1
        _rate_again(finding, calculation)
    return finding


def _sampled(size: int | None) -> Iterator[Calculation]:
    calculations = Calculation.objects.filter(
        is_current=True, section__isnull=False, is_late=False
    )
    marked_from = earliest_pending_day()
    if marked_from is not None:
        calculations = calculations.filter(order_date__lt=marked_from)
    calculations = calculations.order_by("?" if size is not None else "pk")
    if size is not None:
        calculations = calculations[:size]
    yield from calculations.select_related("section__event")


def _rate_again(finding: AuditCheck, calculation: Calculation) -> None:
    section = calculation.section
    assert section is not None  # noqa: S101 (the sample is of sections)
    named = f"{section} ({section.event.event_id}), {calculation.system}"
    facts = read_section_facts(section)
    states = states_before(
        calculation, facts.persons, is_match=facts.kind is Kind.MATCH
    )
    again = [
        rated
        for rated in rate_facts(facts, states)
        if rated.system == calculation.system
    ]
    if not again:
        finding.fault(f"{named} is no longer rated in this system.")
        return
    lines = again[0].lines(states)
    digest = lines_digest(
        lines,
        source_digest=PackedSection.objects.get(section=section).digest,
        system=calculation.system,
        rules=again[0].rules,
    )
    is_comparable = calculation.engine_version == ENGINE_VERSION
    if is_comparable and digest != calculation.inputs_digest:
        finding.fault(f"{named}: the inputs digest is different.")
    stored = {line.player_id: line for line in calculation.changes.all()}
    if {line.player_id for line in lines} != stored.keys():
        finding.fault(f"{named}: different players have lines.")
        return
    names = ("previous_id", *COPIED)
    values = attrgetter(*names)
    for line in lines:
        differing = _differing(names, values(line), values(stored[line.player_id]))
        if differing:
            finding.fault(f"{named}: {differing} differ.", player=line.player_id)
