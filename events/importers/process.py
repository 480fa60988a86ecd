"""The front door in a process of its own: files come in, what they say goes out."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from datetime import date
from typing import Any

from events.importers.dbf.layout_2c import Role
from events.importers.findings import Finding
from events.importers.read_report import AcceptedFile, Format, ReadResult, read_report
from events.importers.records import ReportedEvent
from events.importers.sentences import from_json, to_json
from events.importers.tables.headings import Column
from events.importers.tables.read import ColumnAnswer, ColumnQuestion


def question_of(
    files: Sequence[tuple[str, bytes]],
    answer: ColumnAnswer | None = None,
    today: date | None = None,
) -> bytes:
    """Return what the process is given to read: a line of names, then the contents.

    >>> question_of([("may.trf", b"012 May Open")])
    b'{"files": [["may.trf", 12]], "answer": null, "today": null}\\n012 May Open'
    """
    head = {
        "files": [(name, len(data)) for name, data in files],
        "answer": answer and [answer.meanings, answer.headed],
        "today": today and today.isoformat(),
    }
    return b"".join((json.dumps(head).encode(), b"\n", *(data for _, data in files)))


def _asked(
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
    """Return what was read, as JSON can hold it; ``result_of`` reads it again.

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


def result_of(data: dict[str, Any]) -> ReadResult:
    """Return what ``result_to_json`` wrote down.

    >>> result = read_report([("a.csv", b"Name,Rd 1\\nAna,B\\n")])
    >>> result_of(json.loads(json.dumps(result_to_json(result)))) == result
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
    result = read_report(*_asked(sys.stdin.buffer.read()))
    json.dump(result_to_json(result), sys.stdout)


if __name__ == "__main__":
    main()
