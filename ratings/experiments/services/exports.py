"""An experiment as tables of data: games, predictions, ratings, one line each.

Players and games have numbers of the experiment, which stay; no member IDs and no
names, for the committee neither, because files are passed on.

**What everybody gets** is of published experiments over the books only, and nothing but
what follows from games that are public anyway (``games.csv.gz`` of the open data). A
prediction follows from the ratings before it, with all its decimals, and these from
where members started: where that depends on an age, one game would tell a birth date.
So variants that look at ages, experiments that begin with our initial ratings or pick
games by ratings, and files that somebody sent are for the committee alone.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from zipfile import ZIP_STORED, ZipFile, ZipInfo

from django.conf import settings
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from ratings.experiments.plans import Asked
from ratings.experiments.services.histories import Found, kept_games
from ratings.experiments.services.kept import columns_of, replay_of
from ratings.experiments.services.our_books import counted, from_bytes
from ratings.experiments.services.results import judged_from
from ratings.laboratory.experiment import Newcomers, Plan, games_before
from ratings.laboratory.history import NO_EVENT
from ratings.laboratory.registry import SYSTEMS
from ratings.models import Experiment, ExperimentVariant
from ratings_site.common.web.files import Column, Row, Sink, Type, streamed

NOTEBOOKS = settings.BASE_DIR / "docs" / "notebooks"
NOTEBOOK_NAMES = ("experiment.ipynb", "experiment.Rmd")
# What the notebooks say of the experiment before they are made out to one.
SHIPPED_AS = "EXPERIMENT = 1"

_GAME = Column("game", Type.NUMBER, _("Number of the game in this experiment"))
_VARIANT = Column("variant", Type.NUMBER, _("Number of the variant"))


@dataclass(frozen=True, slots=True)
class DataTable:
    """One of the tables; those of *each* variant are a file for every variant."""

    name: str
    title: str | Promise
    meaning: str | Promise
    columns: tuple[Column, ...]
    each: bool = False


VARIANTS = DataTable(
    "variants",
    _("Variants"),
    _("What was compared: a line for each variant that the files hold."),
    (
        _VARIANT,
        Column("system", Type.TEXT, _("Key of the system, such as glicko2")),
        Column("label", Type.TEXT, _("Name of the variant")),
        Column("parameters", Type.TEXT, _("What differs from usual, as JSON")),
        Column("reference", Type.FLAG, _("Whether the others are measured against it")),
    ),
)
GAMES = DataTable(
    "games",
    _("Games"),
    _("Every game of the experiment, in the order in which games were rated."),
    (
        _GAME,
        Column("day", Type.DAY, _("Last day of its event, on which it is rated")),
        Column("event", Type.NUMBER, _("Number of the event; blank if it has none")),
        Column("white", Type.NUMBER, _("Number of the player with White, or first")),
        Column("black", Type.NUMBER, _("Number of the player with Black")),
        Column("points", Type.REAL, _("White’s score: 1, 0.5 or 0")),
        Column("colored", Type.FLAG, _("Whether it is known who had White")),
        Column("white_games", Type.NUMBER, _("Games of White before its period")),
        Column("black_games", Type.NUMBER, _("Games of Black before its period")),
        Column("compared", Type.FLAG, _("Whether the results are about this game")),
    ),
)
PREDICTIONS = DataTable(
    "predictions",
    _("Predictions"),
    _("What a variant predicted before each game; games it did not predict are out."),
    (
        _GAME,
        Column("expected", Type.REAL, _("Score that White was expected to make")),
        Column("white_rating", Type.REAL, _("White’s rating, in points of today")),
        Column("black_rating", Type.REAL, _("Black’s rating, in points of today")),
    ),
    each=True,
)
RATINGS = DataTable(
    "ratings",
    _("Ratings"),
    _("Where each variant has each player at the end; who is unrated is out."),
    (
        _VARIANT,
        Column("player", Type.NUMBER, _("Number of the player in this experiment")),
        Column("rating", Type.REAL, _("Rating at the end, in points of today")),
    ),
)
TABLES = (VARIANTS, GAMES, PREDICTIONS, RATINGS)

_LARGE = ("predictions", "replay", "result")


def tells_starts(experiment: Experiment) -> bool:
    """Tell whether its games or ratings depend on more than public games."""
    asked = Asked.from_json(experiment.plan)
    chosen = asked.chosen
    return (
        chosen is None
        or chosen.low is not None
        or chosen.high is not None
        or asked.newcomers == Newcomers.OURS
    )


def tells_ages(variant: ExperimentVariant) -> bool:
    """Tell whether its numbers may depend on ages; so may those of a system unknown."""
    system = SYSTEMS.get(variant.system)
    return system is None or system.reads_ages


class ExperimentData:
    """The tables of a finished experiment, as somebody may have them.

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
        if not experiment.is_published or tells_starts(experiment):
            return []
        return [one for one in found if not tells_ages(one)]

    @property
    def is_partial(self) -> bool:
        """Whether somebody else may have more than this."""
        return len(self.variants) < self._experiment.variants.count()

    @property
    def experiment_id(self) -> int:
        return self._experiment.pk

    @property
    def stem(self) -> str:
        """How the names of the files begin, so that those of two do not mix."""
        return f"experiment-{self._experiment.pk}"

    def names(self) -> list[str]:
        """Return the files there are, without the ending that tells their kind."""
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
        """Return a table by the name of its file; raises KeyError if it is not there.

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

    @cached_property
    def _found(self) -> Found:
        return kept_games(self._experiment.history)

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
        return Asked.from_json(self._experiment.plan).plan(self._found.seeds)

    def _compared(self) -> bytearray:
        """Return for each game whether the results are about it.

        Those are the games that every variant in the results predicts: in a search for
        parameters of the last year alone, in a replay of the books with evidence.
        """
        history = self._found.history
        if self._experiment.kind == Experiment.Kind.OUR_RULES:
            compared = bytearray(self._counted_of_books())
        else:
            first = judged_from(self._experiment) or 0
            compared = bytearray(day >= first for day in history.rated_days)
        judged = {one["number"] for one in self._experiment.results["variants"]}
        for variant in self._experiment.variants.defer(*_LARGE):
            if variant.number in judged:
                predictions = columns_of(variant, len(history)).predictions
                for game, value in enumerate(predictions):
                    if value != value:
                        compared[game] = 0
        return compared

    def _counted_of_books(self) -> Sequence[bool]:
        history = self._found.history
        asked = Asked.from_json(self._experiment.plan)
        first = (history.first_day or 0) + (asked.warm_up_days or 0)
        if not asked.least_games:  # nor was evidence kept, before it was asked for
            return [day >= first for day in history.rated_days]
        control = self._experiment.variants.defer(*_LARGE).first()
        played = from_bytes(replay_of(control)).played
        return counted(played, first, asked.least_games)

    def _predictions(self, number: int) -> Iterator[Row]:
        variant = next(one for one in self.variants if one.number == number)
        kept = columns_of(variant, self._experiment.history.games)
        rows = zip(
            kept.predictions, kept.white_ratings, kept.black_ratings, strict=True
        )
        for game, (expected, *ratings) in enumerate(rows, start=1):
            if expected == expected:
                yield (game, expected, *map(_known, ratings))

    def _ratings(self) -> Iterator[Row]:
        for variant in self.variants:
            kept = columns_of(variant, self._experiment.history.games)
            for player, rating in enumerate(kept.final_ratings, start=1):
                if rating == rating:
                    yield variant.number, player, rating


def notebook(name: str, experiment_id: int) -> bytes:
    """Return one of the notebooks, made out to the files of an experiment."""
    text = (NOTEBOOKS / name).read_text(encoding="utf-8")
    return text.replace(SHIPPED_AS, f"EXPERIMENT = {experiment_id}").encode()


def archive(data: ExperimentData, kind: str) -> Iterator[bytes]:
    """Yield a ZIP of all tables and both notebooks, as it is made.

    Its files are all of one day, so that equal data give equal bytes.
    """
    sink = Sink()
    with ZipFile(sink, "w", ZIP_STORED) as whole:
        for name in data.names():
            table, rows = data.table(name)
            with whole.open(ZipInfo(f"{data.stem}-{name}.{kind}"), "w") as file:
                for part in streamed(kind, table.columns, rows):
                    file.write(part)
                    yield sink.taken()
        for name in NOTEBOOK_NAMES:
            whole.writestr(ZipInfo(name), notebook(name, data.experiment_id))
    yield sink.taken()


def _known(value: float) -> float | None:
    return None if value != value else value
