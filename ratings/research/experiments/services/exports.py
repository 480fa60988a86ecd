"""An experiment as tables of data: games, predictions, ratings, one line each.

Players and games have numbers of the experiment, which stay; no member IDs and no
names, not even for the committee, because files are passed on.

**Public files** are of published experiments over the ledger only, and contain nothing
but what follows from games that are public anyway (``games.csv.gz`` of the open data).
A prediction follows from the ratings before it, with all its decimals, and these from
where members started: where that depends on an age, one game would tell a birth date.
So variants that use ages, experiments that begin with our initial ratings or pick games
by ratings, and uploaded files are for the committee alone.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from typing import cast
from zipfile import ZIP_STORED, ZipFile, ZipInfo

from django.conf import settings
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from ratings.laboratory.experiment import Newcomers, Plan, games_before
from ratings.laboratory.history import NO_EVENT
from ratings.laboratory.registry import SYSTEMS
from ratings.models import Experiment, ExperimentVariant, GamesHistory
from ratings.research.experiments.plans import RunOptions
from ratings.research.experiments.services.histories import ExperimentGames, load_games
from ratings.research.experiments.services.our_rules import counted, from_bytes
from ratings.research.experiments.services.results import evaluated_from
from ratings.research.experiments.services.stored_columns import (
    load_columns,
    load_replay,
)
from ratings_site.common.web.files import Column, ColumnType, Row, Sink, stream_file

NOTEBOOKS = settings.BASE_DIR / "docs" / "notebooks"
NOTEBOOK_NAMES = ("experiment.ipynb", "experiment.Rmd")
# The notebooks' placeholder for the experiment.
SHIPPED_AS = "EXPERIMENT = 1"

TEXT, NUMBER, REAL = ColumnType.TEXT, ColumnType.NUMBER, ColumnType.REAL
DAY, FLAG = ColumnType.DAY, ColumnType.FLAG
_GAME = Column("game", NUMBER, _("Game number in this experiment"))
_VARIANT = Column("variant", NUMBER, _("Variant number"))


@dataclass(frozen=True, slots=True)
class DataTable:
    """One of the tables; *each* means a file for every variant."""

    name: str
    title: str | Promise
    meaning: str | Promise
    columns: tuple[Column, ...]
    each: bool = False


VARIANTS = DataTable(
    "variants",
    _("Variants"),
    _("What was compared: one row for each variant in the files."),
    (
        _VARIANT,
        Column("system", TEXT, _("Key of the system, such as glicko2")),
        Column("label", TEXT, _("Variant name")),
        Column("parameters", TEXT, _("Changes from the defaults, as JSON")),
        Column("reference", FLAG, _("Whether the others are compared with it")),
    ),
)
GAMES = DataTable(
    "games",
    _("Games"),
    _("Every game of the experiment, in rating order."),
    (
        _GAME,
        Column("day", DAY, _("Last day of the event, when the game is rated")),
        Column("event", NUMBER, _("Event number; blank if none")),
        Column("white", NUMBER, _("Player number of White, or of the first player")),
        Column("black", NUMBER, _("Player number of Black")),
        Column("points", REAL, _("White’s score: 1, 0.5 or 0")),
        Column("colored", FLAG, _("Whether the colors are known")),
        Column("white_games", NUMBER, _("White’s games before the period")),
        Column("black_games", NUMBER, _("Black’s games before the period")),
        Column("compared", FLAG, _("Whether the game is part of the results")),
    ),
)
PREDICTIONS = DataTable(
    "predictions",
    _("Predictions"),
    _(
        "Each variant’s prediction before each game. Games without a prediction are "
        "left out."
    ),
    (
        _GAME,
        Column("expected", REAL, _("White’s expected score")),
        Column("white_rating", REAL, _("White’s rating, on today’s scale")),
        Column("black_rating", REAL, _("Black’s rating, on today’s scale")),
    ),
    each=True,
)
RATINGS = DataTable(
    "ratings",
    _("Ratings"),
    _("Each player’s final rating under each variant. Unrated players are left out."),
    (
        _VARIANT,
        Column("player", NUMBER, _("Player number in this experiment")),
        Column("rating", REAL, _("Final rating, on today’s scale")),
    ),
)
TABLES = (VARIANTS, GAMES, PREDICTIONS, RATINGS)

_LARGE = ("predictions", "replay", "result")


def reveals_initial_ratings(experiment: Experiment) -> bool:
    """Return whether its games or ratings depend on more than public games."""
    asked = RunOptions.from_json(experiment.plan)
    chosen = asked.chosen
    return (
        chosen is None
        or chosen.low is not None
        or chosen.high is not None
        or asked.newcomers == Newcomers.OURS
    )


def reveals_ages(variant: ExperimentVariant) -> bool:
    """Return whether its numbers may depend on ages; true for an unknown system."""
    system = SYSTEMS.get(variant.system)
    return system is None or system.uses_birth_years


class ExperimentData:
    """The tables of a finished experiment that a user may have.

    The games are read once, and of the variants one at a time.
    """

    def __init__(self, experiment: Experiment, *, for_committee: bool) -> None:
        self._experiment = experiment
        self._for_committee = for_committee

    @cached_property
    def variants(self) -> list[ExperimentVariant]:
        """The variants that the files hold; none where there are no files."""
        experiment = self._experiment
        if experiment.status != Experiment.Status.DONE:
            return []
        found = list(experiment.variants.defer(*_LARGE))
        if self._for_committee:
            return found
        if not experiment.is_published or reveals_initial_ratings(experiment):
            return []
        return [one for one in found if not reveals_ages(one)]

    @property
    def is_partial(self) -> bool:
        """Whether other users may have more than this."""
        return len(self.variants) < self._experiment.variants.count()

    @property
    def experiment_id(self) -> int:
        return self._experiment.pk

    @property
    def stem(self) -> str:
        """The start of the file names, unique to the experiment."""
        return f"experiment-{self._experiment.pk}"

    def names(self) -> list[str]:
        """Return the names of the files, without their extensions."""
        if not self.variants:
            return []
        numbers = [one.number for one in self.variants]
        return [
            name
            for table in TABLES
            for name in (
                [f"{table.name}-{number}" for number in numbers]
                if table.each
                else [table.name]
            )
        ]

    def table(self, name: str) -> tuple[DataTable, Iterator[Row]]:
        """Return a table by the name of its file; raises KeyError if there is none.

        Its rows are made as they are read.
        """
        if name not in self.names():
            raise KeyError(name)
        word, _dash, number = name.partition("-")
        table = next(one for one in TABLES if one.name == word)
        if table is PREDICTIONS:
            return table, self._predictions(int(number))
        rows = {VARIANTS: self._variants, GAMES: self._games, RATINGS: self._ratings}
        return table, rows[table]()

    def _variants(self) -> Iterator[Row]:
        reference = self._experiment.results["reference"]
        for one in self.variants:
            yield (
                one.number,
                one.system,
                one.label,
                json.dumps(one.parameters),
                one.number == reference,
            )

    @property
    def _stored_games(self) -> GamesHistory:
        return cast(GamesHistory, self._experiment.history)  # a finished one has it

    @cached_property
    def _found(self) -> ExperimentGames:
        return load_games(self._stored_games)

    def _games(self) -> Iterator[Row]:
        history, plan = self._found.history, self._plan()
        games = history.games
        rows = zip(
            history.rated_days,
            games.events,
            games.white,
            games.black,
            games.points,
            games.colored or bytes([1]) * len(games),
            *games_before(history, plan),
            self._compared(),
            strict=True,
        )
        for number, row in enumerate(rows, start=1):
            day, event, white, black, points, colored, *before, compared = row
            yield (
                number,
                date.fromordinal(day),
                None if event == NO_EVENT else event + 1,
                white + 1,
                black + 1,
                points,
                bool(colored),
                *before,
                bool(compared),
            )

    def _plan(self) -> Plan:
        return RunOptions.from_json(self._experiment.plan).plan(self._found.seeds)

    def _compared(self) -> bytearray:
        """Return for each game whether the results include it.

        Those are the games that every variant in the results predicts: in a search for
        parameters of the last year alone, in a replay of the ledger with evidence.
        """
        history = self._found.history
        if self._experiment.kind == Experiment.Kind.OUR_RULES:
            compared = bytearray(self._counted_ledger_games())
        else:
            first = evaluated_from(self._experiment) or 0
            compared = bytearray(day >= first for day in history.rated_days)
        judged = {one["number"] for one in self._experiment.results["variants"]}
        for variant in self._experiment.variants.defer(*_LARGE):
            if variant.number in judged:
                predictions = load_columns(variant, len(history)).predictions
                for game, value in enumerate(predictions):
                    if value != value:
                        compared[game] = 0
        return compared

    def _counted_ledger_games(self) -> Sequence[bool]:
        history = self._found.history
        asked = RunOptions.from_json(self._experiment.plan)
        first = (history.first_day or 0) + (asked.warm_up_days or 0)
        if not asked.least_games:  # older experiments stored no evidence
            return [day >= first for day in history.rated_days]
        control = self._experiment.variants.defer(*_LARGE)[0]
        played = from_bytes(load_replay(control)).played
        return counted(played, first, asked.least_games)

    def _predictions(self, number: int) -> Iterator[Row]:
        variant = next(one for one in self.variants if one.number == number)
        kept = load_columns(variant, self._stored_games.games)
        rows = zip(
            kept.predictions, kept.white_ratings, kept.black_ratings, strict=True
        )
        for game, (expected, *ratings) in enumerate(rows, start=1):
            if expected == expected:
                yield (game, expected, *map(_known, ratings))

    def _ratings(self) -> Iterator[Row]:
        for variant in self.variants:
            kept = load_columns(variant, self._stored_games.games)
            for player, rating in enumerate(kept.final_ratings, start=1):
                if rating == rating:
                    yield variant.number, player, rating


def notebook(name: str, experiment_id: int) -> bytes:
    """Return one of the notebooks, set to the files of an experiment."""
    text = (NOTEBOOKS / name).read_text(encoding="utf-8")
    return text.replace(SHIPPED_AS, f"EXPERIMENT = {experiment_id}").encode()


def archive(data: ExperimentData, kind: str) -> Iterator[bytes]:
    """Yield a ZIP of all tables and both notebooks, as it is made.

    Its files all have one date, so that equal data give equal bytes.
    """
    sink = Sink()
    with ZipFile(sink, "w", ZIP_STORED) as whole:
        for name in data.names():
            table, rows = data.table(name)
            with whole.open(ZipInfo(f"{data.stem}-{name}.{kind}"), "w") as file:
                for part in stream_file(kind, table.columns, rows):
                    file.write(part)
                    yield sink.drain()
        for name in NOTEBOOK_NAMES:
            whole.writestr(ZipInfo(name), notebook(name, data.experiment_id))
    yield sink.drain()


def _known(value: float) -> float | None:
    return None if value != value else value
