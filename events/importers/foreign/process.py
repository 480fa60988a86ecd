"""The reader of results from abroad in a process of its own: a file in, JSON out."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from datetime import date
from typing import Any

from events.importers.foreign.read import read_foreign
from events.importers.foreign.records import (
    EventAbroad,
    GameAbroad,
    PlayerAbroad,
    Remark,
    ReportedForeignEvent,
    RoundOff,
)


def report_to_json(report: ReportedForeignEvent) -> dict[str, Any]:
    """Return what was read, as JSON can hold it; ``report_of`` reads it again.

    >>> report_to_json(read_foreign(b""))["players"]
    ()
    """
    data = asdict(report)
    if report.event is not None:
        for name in ("starts", "ends"):
            day = data["event"][name]
            data["event"][name] = day and day.isoformat()
    return data


def report_of(data: dict[str, Any]) -> ReportedForeignEvent:
    """Return what ``report_to_json`` wrote down.

    >>> report = read_foreign(b"012 May Open\\n042 2024/05/04\\n001    1\\n")
    >>> report_of(json.loads(json.dumps(report_to_json(report)))) == report
    True
    """
    return ReportedForeignEvent(
        data["layout"],
        data["event"] and _event(data["event"]),
        tuple(map(_player, data["players"])),
        _remarks(data["remarks"]),
    )


def _event(data: dict[str, Any]) -> EventAbroad:
    days = {
        name: data[name] and date.fromisoformat(data[name])
        for name in ("starts", "ends")
    }
    return EventAbroad(**{**data, **days})


def _player(data: dict[str, Any]) -> PlayerAbroad:
    within = {
        "games": tuple(GameAbroad(**one) for one in data["games"]),
        "rounds_off": tuple(RoundOff(**one) for one in data["rounds_off"]),
        "remarks": _remarks(data["remarks"]),
    }
    return PlayerAbroad(**{**data, **within})


def _remarks(data: list[dict[str, Any]]) -> tuple[Remark, ...]:
    return tuple(Remark(**one) for one in data)


def main() -> None:
    json.dump(report_to_json(read_foreign(sys.stdin.buffer.read())), sys.stdout)


if __name__ == "__main__":
    main()
