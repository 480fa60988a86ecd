"""What a replay adds to the ledger: values to insert, and the same to copy."""

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from django.utils import timezone

from ratings.engine import ENGINE_VERSION
from ratings.engine.replay.arrays import Rows
from ratings.models import Calculation, Run
from ratings.rerates.services.books import Source
from ratings.rerates.services.ledger_columns import (
    COPIED,
    bare_columns,
    packed_column,
    picked,
)
from ratings.rerates.services.people import SYSTEM_NAMES
from ratings_site.common.database.binary_copy import (
    BIGINT,
    BOOLEAN,
    DATE,
    FIRST_DATE,
    SMALLINT,
    TIMESTAMP,
    Column,
    Numbers,
    Texts,
    Words,
    microseconds,
    numpy,
)

NEW = -1

NewCalculation = tuple[Source, int, int, int, str]
"""A calculation to write: source, system, first row and row after the last, digest."""


@dataclass(frozen=True, slots=True)
class NewCalculations:
    """Calculations of a run, with the *numbers* that they get."""

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
            Numbers(BIGINT, self.numbers),
            Numbers(BIGINT, numpy.full(count, self.run.pk)),
            Words(SYSTEM_NAMES, [system for _, system, *_ in self.calculations]),
            *(
                Numbers(BIGINT, numpy.where(ranks == rank, pks, NEW), missing=NEW)
                for rank in Calculation.Rank.values
            ),
            Numbers(SMALLINT, numpy.full(count, self.run.pass_number)),
            Numbers(SMALLINT, [source.version for source in sources]),
            Numbers(DATE, ends),
            Numbers(SMALLINT, ranks),
            Numbers(DATE, starts),
            Texts([source.event_id for source in sources]),
            Numbers(SMALLINT, [source.number for source in sources]),
            Words([self.edition], none),
            Numbers(DATE, starts),
            Numbers(DATE, ends),
            Words([ENGINE_VERSION], none),
            Texts([digest for *_, digest in self.calculations]),
            Numbers(BOOLEAN, none),
            Numbers(BOOLEAN, none),
            Numbers(TIMESTAMP, numpy.full(count, microseconds(timezone.now()))),
        ]


@dataclass(frozen=True, slots=True)
class NewLines:
    """The *wanted* rows of a chunk as lines of the ledger.

    They get the numbers *pks* and stand in the calculations *calculation_of*. *ids* are
    the members that players are, *lines* the numbers of the lines that all rows of the
    replay so far are.
    """

    rows_of_chunk: Rows
    wanted: Sequence[int]
    pks: Sequence[int]
    calculation_of: Sequence[int]
    ids: array
    lines: array

    def values(self) -> list[Sequence[Any]]:
        """Return values column by column, in the order of `LINE_COLUMNS`.

        They are taken at once: what *lines* and the rows hold goes on changing.
        """
        before = picked(self.rows_of_chunk.previous_row, self.wanted)
        players = picked(self.rows_of_chunk.player, self.wanted)
        return [
            self.pks,
            self.calculation_of,
            [self.ids[player] for player in players],
            [self.lines[row] if row >= 0 else None for row in before],
            *bare_columns(self.rows_of_chunk, self.wanted),
        ]

    def columns(self) -> list[Column]:
        """Return the same as columns for a binary COPY."""
        rows, wanted = self.rows_of_chunk, numpy.asarray(self.wanted)
        players = numpy.asarray(rows.player)[wanted]
        before = numpy.asarray(rows.previous_row)[wanted]
        # Place -1, no line before, finds the last number there; it is replaced.
        previous = numpy.where(before < 0, NEW, numpy.asarray(self.lines)[before])
        return [
            Numbers(BIGINT, self.pks),
            Numbers(BIGINT, self.calculation_of),
            Numbers(BIGINT, numpy.asarray(self.ids)[players]),
            Numbers(BIGINT, previous, missing=NEW),
            *(packed_column(rows, name, wanted) for name in COPIED),
        ]
