"""Run ``read_report`` in its own process: files in, JSON out."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from datetime import date
from typing import Any

from events.formats.dbf.layout_2c import Role
from events.formats.findings import Finding
from events.formats.report import ReportedEvent
from events.formats.report_reader import AcceptedFile, Format, ReadResult, read_report
from events.formats.tables.headings import Column
from events.formats.tables.reader import ColumnAnswer, ColumnQuestion
from events.formats.translatable_text import from_json, to_json
from players.formats.member_ids import MEMBER_ID


def encode_request(
    files: Sequence[tuple[str, bytes]],
    answer: ColumnAnswer | None = None,
    today: date | None = None,
) -> bytes:
    """Return the input of the process: a line of file names, then the contents.

    >>> encode_request([("may.trf", b"012 May Open")])
    b'{"files": [["may.trf", 12]], "answer": null, "today": null}\\n012 May Open'
    """
    head = {
        "files": [(name, len(data)) for name, data in files],
        "answer": answer and [answer.meanings, answer.headed],
        "today": today and today.isoformat(),
    }
    return b"".join((json.dumps(head).encode(), b"\n", *(data for _, data in files)))


def _decode_request(
    question: bytes,
) -> tuple[list[tuple[str, bytes]], ColumnAnswer | None, date | None]:
    line, _, rest = question.partition(b"\n")
    head = json.loads(line)
    files, at = [], 0
    for name, size in head["files"]:
        files.append((name, rest[at : at + size]))
        at += size
    answer = head["answer"] and ColumnAnswer(
        tuple(head["answer"][0]), head["answer"][1]
    )
    return files, answer, head["today"] and date.fromisoformat(head["today"])


def result_to_json(result: ReadResult) -> dict[str, Any]:
    """Return *result* as JSON-compatible data for ``result_from_json``.

    >>> result_to_json(read_report([("may.pdf", b"%PDF-1.7")]))["reported"]
    """
    asked = result.question
    return {
        "reported": result.reported and result.reported.to_json(),
        "findings": [one.to_json() for one in result.findings],
        "accepted_files": [(one.name, one.role) for one in result.accepted_files],
        "format": result.format,
        "question": asked
        and {
            "place": to_json(asked.place),
            "missing": [to_json(name) for name in asked.missing],
            "headings": asked.headings,
            "guesses": asked.guesses,
            "samples": asked.samples,
            "headed": asked.headed,
        },
    }


def result_from_json(data: dict[str, Any]) -> ReadResult:
    """Return the result from the data of ``result_to_json``.

    >>> result = read_report([("a.csv", b"Name,Rd 1\\nAna,B\\n")])
    >>> result_from_json(json.loads(json.dumps(result_to_json(result)))) == result
    True
    """
    return ReadResult(
        reported=data["reported"] and ReportedEvent.from_json(data["reported"]),
        findings=[Finding.from_json(one) for one in data["findings"]],
        accepted_files=tuple(
            AcceptedFile(name, Format(role) if role in set(Format) else Role(role))
            for name, role in data["accepted_files"]
        ),
        question=data["question"] and _question(data["question"]),
        format=data["format"] and Format(data["format"]),
    )


def _question(data: dict[str, Any]) -> ColumnQuestion:
    return ColumnQuestion(
        place=from_json(data["place"]),
        missing=tuple(from_json(name) for name in data["missing"]),
        headings=tuple(data["headings"]),
        guesses=tuple(guess and Column(guess) for guess in data["guesses"]),
        samples=tuple(tuple(sample) for sample in data["samples"]),
        headed=data["headed"],
    )


def main() -> None:
    MEMBER_ID.use(*sys.argv[1:])
    result = read_report(*_decode_request(sys.stdin.buffer.read()))
    json.dump(result_to_json(result), sys.stdout)


if __name__ == "__main__":
    main()
