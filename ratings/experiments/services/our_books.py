"""One experiment with our rules on our books: the control, the variants, the answer."""

import json
import sys
import zlib
from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from datetime import date
from hashlib import sha256
from typing import Any

from django.utils.translation import gettext_noop

from ratings.engine import ENGINE_VERSION
from ratings.engine.variation.varying import Variation
from ratings.experiments.plans import EVIDENCE
from ratings.experiments.queries.verdicts import verdict_paragraphs
from ratings.experiments.services.measuring import (
    Between,
    Measurement,
    at_least,
    measurement,
)
from ratings.experiments.services.replaying import Books, Replayed
from ratings.experiments.services.results import (
    comparison_record,
    estimate_record,
)
from ratings.laboratory.experiment import LABORATORY_VERSION
from ratings.laboratory.history import History, column_bytes
from ratings.laboratory.our_rules import (
    CONTROL,
    Answer,
    Control,
    Ended,
    Level,
    Members,
    Played,
    Replay,
)
from ratings.laboratory.rule_change import Effect
from ratings.laboratory.rule_effects import RuleEffects, rule_effects
from ratings.laboratory.verdict import on_control
from ratings.rerates.services.hypothesis import rules_from_json, rules_to_json

AS_THEY_WERE = gettext_noop("The rules as they were")


def label_of(varied: Variation) -> str:
    """Return the name of a variant: what differs about it."""
    return str(varied) or AS_THEY_WERE


def digest_of(books: Books) -> str:
    """Name all that a replay reads: equal digests, equal results."""
    seal = sha256(f"{ENGINE_VERSION} {LABORATORY_VERSION}".encode())
    seal.update(f"{books.from_day} {books.last_day}".encode())
    history = books.history
    for source in history.sources:
        seal.update(f"{source.rank} {source.pk} {source.digest}".encode())
    world = history.world
    for columns in (world.people, world.states, world.matches, (history.cast.ids,)):
        for column in columns:
            seal.update(column_bytes(column.typecode, column))
    seal.update(repr(sorted(history.cast.owner.items())).encode())
    return seal.hexdigest()


def answer_of(system: str, members: Members, replayed: Sequence[Replayed]) -> Answer:
    """Put the control, which comes first, and the variants together."""
    control = replayed[0]
    if control.control is None:
        raise ValueError("The first replay was not laid beside the books.")
    return Answer(
        system=system,
        control=control.control,
        played=control.played,
        members=members,
        replays=[one.replay for one in replayed],
        one_sided=control.one_sided,
    )


def answer_record(
    answer: Answer, first_day: int = 0, least_games: int = EVIDENCE
) -> dict[str, Any]:
    """Return the whole answer as plain values: control, comparison, effects, words.

    Games from *first_day* on count, between members who had *least_games*. Without a
    control that holds there is neither a comparison nor an effect, only the words that
    say so. Movers have no names.
    """
    record: dict[str, Any] = {
        "system": answer.system,
        "control": {
            "lines": answer.control.lines,
            "equal": answer.control.equal,
            "faults": list(answer.control.faults),
            "holds": answer.control.holds,
        },
        "games": len(answer.played.one),
        "one_sided": answer.one_sided,
        "least_games": least_games,
        "labels": [one.label for one in answer.replays],
        "reconstructed": [one.varied.is_reconstructed for one in answer.replays],
        "words": [list(one) for one in on_control(answer.control)],
        "effects": [],
    }
    if not answer.control.holds:
        return record
    on = measurement_of(answer, answer.history(), first_day, least_games)
    record["comparison"] = comparison_record(on.compared(CONTROL))
    record |= beside_the_rules(answer, on.between())
    record["words"] += [
        list(one)
        for paragraph in verdict_paragraphs(
            record["comparison"] | {"our_rules": record},
            dict(enumerate(record["labels"], start=1)),
        )
        for one in paragraph
    ]
    return record


def measurement_of(
    answer: Answer, history: History, first_day: int, least_games: int
) -> Measurement:
    """Measure the replays, by number, on the games that count (see `counted`)."""
    counts = counted(answer.played, first_day, least_games)
    return measurement(history, answer.columns(), counts)


def counted(played: Played, first_day: int, least_games: int) -> Sequence[bool]:
    """Tell of each game whether it counts: with evidence of both, from a day on."""
    return at_least((played.day, first_day), (played.evidence, least_games))


def beside_the_rules(answer: Answer, between: Between | None) -> dict[str, Any]:
    """Return what each variant would have done, and two of them beside each other."""
    return {
        "effects": [
            {"number": number + 1, **effects_record(rule_effects(answer, number))}
            for number in range(1, len(answer.replays))
        ],
        "between": between and [estimate_record(one) for one in between],
    }


def effects_record(effects: RuleEffects) -> dict[str, Any]:
    """Return effects as plain values; nothing in them names a member."""
    return {
        "everybody": list(effects.everybody) if effects.everybody else None,
        "classes": [list(one) for one in effects.classes],
        "ages": [list(one) for one in effects.ages],
        "states": _by_name(effects.states),
        "activity": _by_name(effects.activity),
        "reached": [list(one) for one in effects.reached],
        "floors": effects.floors._asdict(),
        "levels": [
            [date.fromordinal(one.day).isoformat(), one.players, one.mean, other.mean]
            for one, other in effects.levels
        ],
        "moved": effects.movers,
        "median_move": effects.median_move,
        "noticed": effects.noticed,
        "largest": [[one.before, one.after] for one in effects.largest],
    }


def _by_name(effects: Mapping[str, Effect]) -> list[list[Any]]:
    return [[name, *effect] for name, effect in effects.items()]


# --- As they are kept ---


def to_bytes(replayed: Replayed) -> bytes:
    """Return a finished replay as bytes, from which one goes on after a kill."""
    columns = list(_columns(replayed))
    replay = replayed.replay
    head = {
        "label": replay.label,
        "varied": rules_to_json(replay.varied),
        "levels": [list(level) for level in replay.levels],
        "control": asdict(replayed.control) if replayed.control else None,
        "one_sided": replayed.one_sided,
        "columns": [[column.typecode, len(column)] for column in columns],
    }
    text = json.dumps(head).encode()
    packer = zlib.compressobj(1)
    parts = [packer.compress(column_bytes(one.typecode, one)) for one in columns]
    return b"".join([len(text).to_bytes(8, "little"), text, *parts, packer.flush()])


def _columns(replayed: Replayed) -> Iterator[array]:
    """Yield what is kept; of the games that all replays share only the control has."""
    replay = replayed.replay
    yield from replayed.played if replayed.control else Played.empty()
    yield from (replay.predictions, replay.one_ratings, replay.other_ratings)
    yield from replay.ended


def from_bytes(data: bytes) -> Replayed:
    """Return what `to_bytes` kept."""
    length = int.from_bytes(data[:8], "little")
    head = json.loads(data[8 : 8 + length])
    content = memoryview(zlib.decompress(memoryview(data)[8 + length :]))
    columns, at = [], 0
    for code, size in head["columns"]:
        column = array(code)
        end = at + size * column.itemsize
        column.frombytes(content[at:end])
        if sys.byteorder == "big":
            column.byteswap()
        columns.append(column)
        at = end
    played, rest = len(Played._fields), len(Played._fields) + 3
    predictions, one, other = columns[played:rest]
    replay = Replay(
        label=head["label"],
        varied=rules_from_json(head["varied"]),
        predictions=predictions,
        one_ratings=one,
        other_ratings=other,
        ended=Ended(*columns[rest:]),
        levels=tuple(Level(*level) for level in head["levels"]),
    )
    control = Control(**head["control"]) if head["control"] else None
    return Replayed(replay, Played(*columns[:played]), head["one_sided"], control)
