"""One experiment with our rules on our ledger: control, variants, answer."""

from __future__ import annotations

import json
import sys
import zlib
from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from datetime import date
from hashlib import sha256
from typing import Any

from django.utils.translation import gettext

from ratings.engine import ENGINE_VERSION
from ratings.engine.variation.variations import Variation
from ratings.laboratory.experiment import LABORATORY_VERSION
from ratings.laboratory.history import History, column_bytes
from ratings.laboratory.our_rules import (
    CONTROL,
    Control,
    FinalStandings,
    Level,
    Members,
    RatedGames,
    Replay,
    RulesResult,
)
from ratings.laboratory.rule_change import Effect
from ratings.laboratory.rule_effects import RuleEffects, rule_effects
from ratings.laboratory.verdict import describe_control
from ratings.rerates.services.sources import rules_from_json, rules_to_json
from ratings.research.experiments.plans import EVIDENCE, RulesVariant
from ratings.research.experiments.queries.verdicts import verdict_paragraphs
from ratings.research.experiments.services.ledger_replay import (
    LedgerSources,
    ReplayOutput,
)
from ratings.research.experiments.services.numpy_measures import (
    Measurement,
    VariantPair,
    at_least,
    measurement,
)
from ratings.research.experiments.services.results import (
    comparison_record,
    estimate_record,
)
from ratings.research.experiments.variant_names import variant_name


def variant_label(variation: Variation) -> str:
    """Return the name of a variant, made of its differences."""
    return variant_name(RulesVariant(tuple(map(tuple, rules_to_json(variation)))))


def replay_digest(sources: LedgerSources) -> str:
    """Return a digest of all that a replay reads: equal digests, equal results."""
    seal = sha256(f"{ENGINE_VERSION} {LABORATORY_VERSION}".encode())
    seal.update(f"{sources.from_day} {sources.last_day}".encode())
    history = sources.history
    for source in history.sources:
        seal.update(f"{source.rank} {source.pk} {source.digest}".encode())
    world = history.world
    for columns in (
        world.people,
        world.states,
        world.matches,
        (history.player_index.ids,),
    ):
        for column in columns:
            seal.update(column_bytes(column.typecode, column))
    seal.update(repr(sorted(history.player_index.owner.items())).encode())
    return seal.hexdigest()


def build_rules_result(
    system: str, members: Members, replayed: Sequence[ReplayOutput]
) -> RulesResult:
    """Combine the control, which comes first, and the variants."""
    control = replayed[0]
    if control.control is None:
        raise ValueError("The first replay was not compared with the ledger.")
    return RulesResult(
        system=system,
        control=control.control,
        played=control.played,
        members=members,
        replays=[one.replay for one in replayed],
        one_sided=control.one_sided,
    )


def rules_result_record(
    answer: RulesResult, first_day: int = 0, least_games: int = EVIDENCE
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
        "reconstructed": [one.variation.is_reconstructed for one in answer.replays],
        "words": [list(one) for one in describe_control(answer.control)],
        "effects": [],
    }
    if not answer.control.holds:
        return record
    on = measurement_of(answer, answer.history(), first_day, least_games)
    record["comparison"] = comparison_record(on.compared(CONTROL))
    record |= effects_against_rules(answer, on.between())
    record["words"] += [
        list(one)
        for paragraph in verdict_paragraphs(
            record["comparison"] | {"our_rules": record},
            {
                **dict(enumerate(record["labels"], start=1)),
                1: gettext("the actual rules"),
            },
        )
        for one in paragraph
    ]
    return record


def measurement_of(
    answer: RulesResult, history: History, first_day: int, least_games: int
) -> Measurement:
    """Measure the replays, by number, on the games that count (see `counted`)."""
    counts = counted(answer.played, first_day, least_games)
    return measurement(history, answer.columns(), counts)


def counted(played: RatedGames, first_day: int, least_games: int) -> Sequence[bool]:
    """Return for each game whether it counts: with evidence of both, from a day on."""
    return at_least((played.day, first_day), (played.evidence, least_games))


def effects_against_rules(
    answer: RulesResult, between: VariantPair | None
) -> dict[str, Any]:
    """Return the effects of each variant, and two of them compared."""
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
        "everybody": list(effects.all_players) if effects.all_players else None,
        "moves": effects.moves._asdict(),
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


# --- Storage ---


def to_bytes(replayed: ReplayOutput) -> bytes:
    """Return a finished replay as bytes, to resume from after a kill."""
    columns = list(_columns(replayed))
    replay = replayed.replay
    head = {
        "label": replay.label,
        "varied": rules_to_json(replay.variation),
        "levels": [list(level) for level in replay.levels],
        "control": asdict(replayed.control) if replayed.control else None,
        "one_sided": replayed.one_sided,
        "columns": [[column.typecode, len(column)] for column in columns],
    }
    text = json.dumps(head).encode()
    packer = zlib.compressobj(1)
    parts = [packer.compress(column_bytes(one.typecode, one)) for one in columns]
    return b"".join([len(text).to_bytes(8, "little"), text, *parts, packer.flush()])


def _columns(replayed: ReplayOutput) -> Iterator[array[Any]]:
    """Yield the stored columns; only the control has the games that all share."""
    replay = replayed.replay
    yield from replayed.played if replayed.control else RatedGames.empty()
    yield from (replay.predictions, replay.one_ratings, replay.other_ratings)
    yield from replay.ended


def from_bytes(data: bytes) -> ReplayOutput:
    """Return the replay that `to_bytes` stored."""
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
    played, rest = len(RatedGames._fields), len(RatedGames._fields) + 3
    predictions, one, other = columns[played:rest]
    replay = Replay(
        label=head["label"],
        variation=rules_from_json(head["varied"]),
        predictions=predictions,
        one_ratings=one,
        other_ratings=other,
        ended=FinalStandings(*columns[rest:]),
        levels=tuple(Level(*level) for level in head["levels"]),
    )
    control = Control(**head["control"]) if head["control"] else None
    return ReplayOutput(
        replay, RatedGames(*columns[:played]), head["one_sided"], control
    )
