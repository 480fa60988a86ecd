"""Our own rules on our own ledger: options and output of the command."""

from __future__ import annotations

import os
import time
from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date
from hashlib import sha256
from pathlib import Path
from typing import Any

from ratings.engine.variation.variations import (
    NO_VARIATION,
    BadVariation,
    Variation,
    read_change,
)
from ratings.laboratory.measures import NoGames
from ratings.management.laboratory_output import counted
from ratings.management.laboratory_systems import InvalidOption
from ratings.models import SYSTEM_CHOICES
from ratings.rerates.services.replay import NotReplayable
from ratings.rerates.services.sources import rules_to_json
from ratings.research.experiments.services.ledger_replay import (
    LedgerSources,
    ReplayOutput,
    replay_ledger,
)
from ratings.research.experiments.services.our_rules import (
    build_rules_result,
    from_bytes,
    replay_digest,
    rules_result_record,
    to_bytes,
    variant_label,
)

SECONDS_BETWEEN_UPDATES = 2.0
Tell = Callable[[str], None]


def add_ledger_options(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--books",
        action="store_true",
        help="replay our own rules on the federation's games, as a rerate does",
    )
    parser.add_argument(
        "--from",
        dest="first_day",
        type=day,
        metavar="DAY",
        help="replay from the ratings on record before this day; default: all history",
    )
    parser.add_argument(
        "--to", dest="last_day", type=day, metavar="DAY", help="the last day to replay"
    )
    parser.add_argument(
        "--from-nothing",
        action="store_true",
        help="replay all history, but compare games from the first day on",
    )
    parser.add_argument(
        "--vary",
        action="append",
        nargs="+",
        default=[],
        metavar="NAME=VALUE[@DAY..DAY]",
        help="a variant of the rules; `laboratory rules` lists the names",
    )
    parser.add_argument(
        "--rated-as",
        choices=[key for key, _label in SYSTEM_CHOICES],
        default="OTBR",
        help="the system to compare (default: OTBR); all systems are replayed",
    )
    parser.add_argument(
        "--resume",
        metavar="FOLDER",
        help="save finished replays there, and reuse those of an earlier run",
    )


def day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise ArgumentTypeError(f"“{text}” is not a date. Write 2015-01-31.") from error


def variations_of(options: Mapping[str, Any]) -> list[Variation]:
    """Return the control and the requested variants; refuse invalid ones."""
    first, last = options["first_day"], options["last_day"]
    if first and last and first > last:
        raise InvalidOption(f"The last day, {last}, is before the first, {first}.")
    try:
        asked = [
            Variation(tuple(read_change(one, first=first, last=last) for one in texts))
            for texts in options["vary"]
        ]
    except BadVariation as bad:
        raise InvalidOption(str(bad)) from bad
    found = [NO_VARIATION, *asked]
    for one in found:
        if found.count(one) > 1:
            raise InvalidOption(f"{variant_label(one)}: two variants are the same.")
    return found


def run_on_ledger(options: Mapping[str, Any], tell: Tell) -> dict[str, Any]:
    """Replay the control and each variant; return the answer as plain values."""
    variations = variations_of(options)
    tell("Reading the games.")
    from_day = None if options["from_nothing"] else options["first_day"]
    sources = LedgerSources.read(from_day, options["last_day"])
    if not sources.history.sources:
        raise InvalidOption("Nothing was rated on these days.")
    kept = _ReplayCache(options["resume"], sources, options["rated_as"])
    replayed = [
        _replayed(sources, variation, kept, options["rated_as"], tell)
        for variation in variations
    ]
    tell("Comparing.")
    members = sources.members()
    del sources  # all sections of the nation, no longer needed
    answer = build_rules_result(options["rated_as"], members, replayed)
    first_day = options["first_day"]
    try:
        return rules_result_record(
            answer,
            first_day.toordinal() if first_day else 0,
            options["least_games"],
        )
    except NoGames as fault:
        raise InvalidOption(str(fault)) from fault


def _replayed(
    sources: LedgerSources,
    variation: Variation,
    kept: _ReplayCache,
    system: str,
    tell: Tell,
) -> ReplayOutput:
    label = variant_label(variation)
    found = kept.get(variation)
    if found is not None:
        tell(f"{label}: already done.")
        return found
    progress = _ProgressReporter(label, tell)
    try:
        found = replay_ledger(
            sources,
            variation,
            label=label,
            system=system,
            compare_ledger=not variation,
            sign=progress,
        )
    except NotReplayable as fault:
        raise InvalidOption(f"{label}: {fault}") from fault
    tell(f"{label}: done in {time.monotonic() - progress.began:.1f} s.")
    kept.put(variation, found)
    return found


class _ProgressReporter:
    """Prints the progress of a replay every two seconds."""

    def __init__(self, label: str, tell: Tell) -> None:
        self._label = label
        self._tell = tell
        self.began = self._last = time.monotonic()

    def __call__(self, done: float) -> None:
        now = time.monotonic()
        if now - self._last >= SECONDS_BETWEEN_UPDATES:
            self._last = now
            self._tell(f"{self._label}: {100 * done:.0f} %")


class _ReplayCache:
    """Finished replays in a folder: whole files, named by a digest of their inputs."""

    def __init__(self, folder: str | None, sources: LedgerSources, system: str) -> None:
        self._folder = Path(folder) if folder else None
        self._of = replay_digest(sources) + system if folder else ""

    def _path(self, variation: Variation) -> Path | None:
        if self._folder is None:
            return None
        named = f"{self._of} {rules_to_json(variation)!r}".encode()
        return self._folder / f"{sha256(named).hexdigest()[:32]}.replay"

    def get(self, variation: Variation) -> ReplayOutput | None:
        path = self._path(variation)
        if path is None or not path.exists():
            return None
        return from_bytes(path.read_bytes())

    def put(self, variation: Variation, replayed: ReplayOutput) -> None:
        path = self._path(variation)
        if path is None:
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        unfinished = path.with_suffix(f".{os.getpid()}")
        unfinished.write_bytes(to_bytes(replayed))
        unfinished.rename(path)


def rules_result_lines(record: Mapping[str, Any]) -> Iterator[str]:
    """Yield the printed answer: the words first, then the figures."""
    for sentence, values in record["words"]:
        yield sentence.format(**values)
    yield from record["control"]["faults"]
    if "comparison" not in record:
        return
    comparison = record["comparison"]
    yield (
        f"{comparison['games']:,} games of {comparison['events']:,} sections and "
        f"{comparison['players']:,} players are compared, between players with at "
        f"least {counted(record['least_games'], 'game')}."
    )
    yield "log loss: 100 = coin flip; lower is better."
    for one in comparison["variants"]:
        label = record["labels"][one["number"] - 1]
        if record["reconstructed"][one["number"] - 1]:
            label += " (reconstruction)"
        yield f"{one['measures']['scaled_deviance'][0]:8.3f}  {label}"
    for effects in record["effects"]:
        yield ""
        label = record["labels"][effects["number"] - 1]
        yield f"{label}, compared with the actual rules"
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
        return "unknown"
    return f"{'' if low is None else low}–{'' if high is None else high - 1}"


def _effect_line(name: str, effect: Sequence[Any]) -> str:
    players, gained, lost, mean, median, *_ = effect
    counts = f"{players:>8,} {gained:>8,} {lost:>8,}"
    return f"{name:<28} {counts} {mean:>+7.1f} {median:>+7.1f}"
