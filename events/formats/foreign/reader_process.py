"""Run the reader of foreign results in its own process: a file in, JSON out."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from datetime import date
from typing import Any

from events.formats.foreign.reader import read_foreign
from events.formats.foreign.report import (
    ForeignEventHeader,
    Remark,
    ReportedForeignEvent,
    ReportedForeignGame,
    ReportedForeignPlayer,
    ReportedUnplayedRound,
)


def encode_report(report: ReportedForeignEvent) -> str:
    """Return *report* as JSON for ``report_from_json``."""
    return json.dumps(asdict(report), default=str)


def report_from_json(data: dict[str, Any]) -> ReportedForeignEvent:
    """Return the report from the data of ``encode_report``.

    >>> report = read_foreign(b"012 May Open\\n042 2024/05/04\\n001    1\\n")
    >>> report_from_json(json.loads(encode_report(report))) == report
    True
    """
    return ReportedForeignEvent(
        data["layout"],
        data["event"] and _event(data["event"]),
        tuple(map(_player, data["players"])),
        _remarks(data["remarks"]),
    )


def _event(data: dict[str, Any]) -> ForeignEventHeader:
    days = {
        name: data[name] and date.fromisoformat(data[name])
        for name in ("starts", "ends")
    }
    return ForeignEventHeader(**{**data, **days})


def _player(data: dict[str, Any]) -> ReportedForeignPlayer:
    within = {
        "games": tuple(ReportedForeignGame(**one) for one in data["games"]),
        "rounds_off": tuple(ReportedUnplayedRound(**one) for one in data["rounds_off"]),
        "remarks": _remarks(data["remarks"]),
    }
    return ReportedForeignPlayer(**{**data, **within})


def _remarks(data: list[dict[str, Any]]) -> tuple[Remark, ...]:
    return tuple(Remark(**one) for one in data)


def main() -> None:
    sys.stdout.write(encode_report(read_foreign(sys.stdin.buffer.read())))


if __name__ == "__main__":
    main()
