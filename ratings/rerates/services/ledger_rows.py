"""The new rows of the ledger from a replay, as values and as columns."""

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from django.utils import timezone

from ratings.engine import ENGINE_VERSION
from ratings.engine.replay.arrays import Rows
from ratings.models import Calculation, Run
from ratings.rerates.services.ledger_columns import (
    COPIED,
    pack_column,
    select_rows,
    storable_columns,
)
from ratings.rerates.services.players import SYSTEM_NAMES
from ratings.rerates.services.sources import Source
from ratings_site.common.db.binary_copy import (
    BIGINT,
    BOOLEAN,
    DATE,
    FIRST_DATE,
    SMALLINT,
    TIMESTAMP,
    Column,
    DictionaryColumn,
    NumberColumn,
    TextColumn,
    microseconds,
    numpy,
)

NEW = -1

NewCalculation = tuple[Source, int, int, int, str]
"""A calculation to write: source, system, first row and row after the last, digest."""


@dataclass(frozen=True, slots=True)
class NewCalculations:
    """Calculations of a run, with their primary keys *numbers*."""

    run: Run
    edition: str
    numbers: Sequence[int]
    calculations: Sequence[NewCalculation]

    def rows(self) -> Iterator[tuple[Any, ...]]:
        """Yield values in the order of `CALCULATION_COLUMNS`."""
        now = timezone.now()
        for number, (source, system, _, _, digest) in zip(
            self.numbers, self.calculations, strict=True
        ):
            yield self._row(number, source, system, digest, now)

    def _row(
        self, number: int, source: Source, system: int, digest: str, now: datetime
    ) -> tuple[Any, ...]:
        sources: list[int | None] = [None, None, None, None]
        sources[source.rank] = source.pk
        ends, starts = date.fromordinal(source.day), date.fromordinal(source.starts)
        return (
            number,
            self.run.pk,
            SYSTEM_NAMES[system],
            *sources,
            self.run.pass_number,
            source.version,
            ends,
            source.rank,
            starts,
            source.event_id,
            source.number,
            self.edition,
            starts,
            ends,
            ENGINE_VERSION,
            digest,
            False,
            False,
            now,
        )

    def columns(self) -> list[Column]:
        """Return the same as columns for a binary COPY."""
        sources = [source for source, *_ in self.calculations]
        count = len(sources)
        ranks = numpy.array([source.rank for source in sources])
        pks = numpy.array([source.pk for source in sources])
        ends = numpy.array([source.day for source in sources]) - FIRST_DATE
        starts = numpy.array([source.starts for source in sources]) - FIRST_DATE
        none = numpy.zeros(count, int)
        return [
            NumberColumn(BIGINT, self.numbers),
            NumberColumn(BIGINT, numpy.full(count, self.run.pk)),
            DictionaryColumn(
                SYSTEM_NAMES, [system for _, system, *_ in self.calculations]
            ),
            *(
                NumberColumn(BIGINT, numpy.where(ranks == rank, pks, NEW), missing=NEW)
                for rank in Calculation.Rank.values
            ),
            NumberColumn(SMALLINT, numpy.full(count, self.run.pass_number)),
            NumberColumn(SMALLINT, [source.version for source in sources]),
            NumberColumn(DATE, ends),
            NumberColumn(SMALLINT, ranks),
            NumberColumn(DATE, starts),
            TextColumn([source.event_id for source in sources]),
            NumberColumn(SMALLINT, [source.number for source in sources]),
            DictionaryColumn([self.edition], none),
            NumberColumn(DATE, starts),
            NumberColumn(DATE, ends),
            DictionaryColumn([ENGINE_VERSION], none),
            TextColumn([digest for *_, digest in self.calculations]),
            NumberColumn(BOOLEAN, none),
            NumberColumn(BOOLEAN, none),
            NumberColumn(TIMESTAMP, numpy.full(count, microseconds(timezone.now()))),
        ]


@dataclass(frozen=True, slots=True)
class NewLines:
    """The *wanted* rows of a chunk as lines of the ledger.

    They get the primary keys *pks* and belong to the calculations *calculation_of*.
    *ids* are the primary keys of players, *lines* those of the lines behind all rows of
    the replay so far.
    """

    rows_of_chunk: Rows
    wanted: Sequence[int]
    pks: Sequence[int]
    calculation_of: Sequence[int]
    ids: "array[int]"
    lines: "array[int]"

    def values(self) -> list[Sequence[Any]]:
        """Return values column by column, in the order of `LINE_COLUMNS`.

        They are copied at once, because *lines* and the rows change later.
        """
        before = select_rows(self.rows_of_chunk.previous_row, self.wanted)
        players = select_rows(self.rows_of_chunk.player, self.wanted)
        return [
            self.pks,
            self.calculation_of,
            [self.ids[player] for player in players],
            [self.lines[row] if row >= 0 else None for row in before],
            *storable_columns(self.rows_of_chunk, self.wanted),
        ]

    def columns(self) -> list[Column]:
        """Return the same as columns for a binary COPY."""
        rows, wanted = self.rows_of_chunk, numpy.asarray(self.wanted)
        players = numpy.asarray(rows.player)[wanted]
        before = numpy.asarray(rows.previous_row)[wanted]
        # Index -1, for no line before, gives the last number; it is replaced.
        previous = numpy.where(before < 0, NEW, numpy.asarray(self.lines)[before])
        return [
            NumberColumn(BIGINT, self.pks),
            NumberColumn(BIGINT, self.calculation_of),
            NumberColumn(BIGINT, numpy.asarray(self.ids)[players]),
            NumberColumn(BIGINT, previous, missing=NEW),
            *(pack_column(rows, name, wanted) for name in COPIED),
        ]
