"""Our own rules on our own books, as the command asks for them and prints them."""

from __future__ import annotations

import os
import time
from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date
from hashlib import sha256
from pathlib import Path
from typing import Any

from ratings.engine.variation.varying import (
    NOTHING_VARIED,
    BadVariation,
    Variation,
    read_change,
)
from ratings.experiments.services.our_books import (
    answer_of,
    answer_record,
    digest_of,
    from_bytes,
    label_of,
    to_bytes,
)
from ratings.experiments.services.replaying import Books, Replayed, replay_books
from ratings.laboratory.measures import NoGames
from ratings.management.laboratory_output import counted
from ratings.management.laboratory_systems import Refused
from ratings.models import SYSTEM_CHOICES
from ratings.rerates.services.hypothesis import rules_to_json
from ratings.rerates.services.replay import NotReplayable

SECONDS_BETWEEN_SIGNS = 2.0
Tell = Callable[[str], None]


def add_books_options(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--books",
        action="store_true",
        help="our own rules on our own books, replayed as a rerate does",
    )
    parser.add_argument(
        "--from",
        dest="first_day",
        type=day,
        metavar="DAY",
        help="replay from the ledger's ratings before this day; default: from nothing",
    )
    parser.add_argument(
        "--to", dest="last_day", type=day, metavar="DAY", help="the last day of all"
    )
    parser.add_argument(
        "--from-nothing",
        action="store_true",
        help="replay everything; games from the first day on count",
    )
    parser.add_argument(
        "--vary",
        action="append",
        nargs="+",
        default=[],
        metavar="NAME=VALUE[@DAY..DAY]",
        help="a variant of the rules; see `laboratory rules` for the names",
    )
    parser.add_argument(
        "--rated-as",
        choices=[key for key, _label in SYSTEM_CHOICES],
        default="OTBR",
        help="whose games are predicted (default: OTBR); all systems are replayed",
    )
    parser.add_argument(
        "--resume",
        metavar="FOLDER",
        help="keep finished replays there, and take what an earlier run has kept",
    )


def day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise ArgumentTypeError(f"“{text}” is no day. Write 2015-01-31.") from error


def variations_of(options: Mapping[str, Any]) -> list[Variation]:
    """Return the control and the variants asked for; refuse what makes no sense."""
    first, last = options["first_day"], options["last_day"]
    if first and last and first > last:
        raise Refused(f"The last day, {last}, is before the first, {first}.")
    try:
        asked = [
            Variation(tuple(read_change(one, first=first, last=last) for one in texts))
            for texts in options["vary"]
        ]
    except BadVariation as bad:
        raise Refused(str(bad)) from bad
    found = [NOTHING_VARIED, *asked]
    for one in found:
        if found.count(one) > 1:
            raise Refused(f"{label_of(one)}: two variants are the same.")
    return found


def run_on_books(options: Mapping[str, Any], tell: Tell) -> dict[str, Any]:
    """Replay the control and each variant; return the answer as plain values."""
    variations = variations_of(options)
    tell("Reading the books.")
    from_day = None if options["from_nothing"] else options["first_day"]
    books = Books.read(from_day, options["last_day"])
    if not books.history.sources:
        raise Refused("The books have nothing rated on these days.")
    kept = _Kept(options["resume"], books, options["rated_as"])
    replayed = [
        _replayed(books, varied, kept, options["rated_as"], tell)
        for varied in variations
    ]
    tell("Comparing.")
    members = books.members()
    del books  # all sections of the nation, which nobody replays any more
    answer = answer_of(options["rated_as"], members, replayed)
    first_day = options["first_day"]
    try:
        return answer_record(
            answer,
            first_day.toordinal() if first_day else 0,
            options["least_games"],
        )
    except NoGames as fault:
        raise Refused(str(fault)) from fault


def _replayed(
    books: Books, varied: Variation, kept: _Kept, system: str, tell: Tell
) -> Replayed:
    label = label_of(varied)
    found = kept.get(varied)
    if found is not None:
        tell(f"{label}: done before.")
        return found
    signs = _Signs(label, tell)
    try:
        found = replay_books(
            books, varied, label=label, system=system, beside=not varied, sign=signs
        )
    except NotReplayable as fault:
        raise Refused(f"{label}: {fault}") from fault
    tell(f"{label}: done in {time.monotonic() - signs.began:.1f} s.")
    kept.put(varied, found)
    return found


class _Signs:
    """Says every two seconds how far a replay has come."""

    def __init__(self, label: str, tell: Tell) -> None:
        self._label = label
        self._tell = tell
        self.began = self._last = time.monotonic()

    def __call__(self, done: float) -> None:
        now = time.monotonic()
        if now - self._last >= SECONDS_BETWEEN_SIGNS:
            self._last = now
            self._tell(f"{self._label}: {100 * done:.0f} %")


class _Kept:
    """Finished replays in a folder: whole files, named for all that they depend on."""

    def __init__(self, folder: str | None, books: Books, system: str) -> None:
        self._folder = Path(folder) if folder else None
        self._of = digest_of(books) + system if folder else ""

    def _path(self, varied: Variation) -> Path | None:
        if self._folder is None:
            return None
        named = f"{self._of} {rules_to_json(varied)!r}".encode()
        return self._folder / f"{sha256(named).hexdigest()[:32]}.replay"

    def get(self, varied: Variation) -> Replayed | None:
        path = self._path(varied)
        if path is None or not path.exists():
            return None
        return from_bytes(path.read_bytes())

    def put(self, varied: Variation, replayed: Replayed) -> None:
        path = self._path(varied)
        if path is None:
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        unfinished = path.with_suffix(f".{os.getpid()}")
        unfinished.write_bytes(to_bytes(replayed))
        unfinished.rename(path)


def answer_lines(record: Mapping[str, Any]) -> Iterator[str]:
    """Yield the answer as it is printed: the words first, then the figures."""
    for sentence, values in record["words"]:
        yield sentence.format(**values)
    yield from record["control"]["faults"]
    if "comparison" not in record:
        return
    comparison = record["comparison"]
    yield (
        f"{comparison['games']:,} games of {comparison['events']:,} sections and "
        f"{comparison['players']:,} players count, between players with at least "
        f"{counted(record['least_games'], 'game')}."
    )
    yield "deviance: 100 is a coin, less is better."
    for one in comparison["variants"]:
        label = record["labels"][one["number"] - 1]
        if record["reconstructed"][one["number"] - 1]:
            label += " (reconstruction)"
        yield f"{one['measures']['scaled_deviance'][0]:8.3f}  {label}"
    for effects in record["effects"]:
        yield ""
        label = record["labels"][effects["number"] - 1]
        yield f"{label}, beside the rules as they were"
        yield from _effect_lines(effects)


def _effect_lines(effects: Mapping[str, Any]) -> Iterator[str]:
    head = (
        f"{'':<28} {'players':>8} {'higher':>8} {'lower':>8} {'mean':>7} {'median':>7}"
    )
    yield head
    groups = (
        ("rating", effects["classes"]),
        ("age", effects["ages"]),
    )
    for word, bands in groups:
        for low, high, *rest in bands:
            yield _effect_line(f"{word} {_band(low, high)}", rest)
    for name, *effect in [*effects["activity"], *effects["states"]]:
        yield _effect_line(name or "no state", effect[2:])
    yield f"{'class':<28} {'before':>8} {'after':>8} {'reached':>8} {'lost':>7}"
    for name, before, after, reached, lost in effects["reached"]:
        if before or after or reached or lost:
            yield f"{name:<28} {before:>8,} {after:>8,} {reached:>8,} {lost:>7,}"
    floors = effects["floors"]
    yield (
        f"Floors: {floors['higher']:,} higher, {floors['lower']:,} lower, "
        f"{floors['same']:,} the same."
    )


def _band(low: int | None, high: int | None) -> str:
    if low is None and high is None:
        return "not known"
    return f"{'' if low is None else low}–{'' if high is None else high - 1}"


def _effect_line(name: str, effect: Sequence[Any]) -> str:
    players, gained, lost, mean, median, *_ = effect
    counts = f"{players:>8,} {gained:>8,} {lost:>8,}"
    return f"{name:<28} {counts} {mean:>+7.1f} {median:>+7.1f}"
