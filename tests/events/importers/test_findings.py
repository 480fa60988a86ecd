from __future__ import annotations

import json
import re

from events.importers.codes import CODES
from events.importers.findings import (
    FINDINGS_PER_SECTION_AND_CODE,
    Collector,
    Finding,
    Place,
    Severity,
    found,
    in_order,
)

PLACE = Place(section=2, pairing_number=14, round_number=3)


def test_finding_reads_as_place_sentence_and_hint() -> None:
    finding = found(
        "result.not_mirrored",
        PLACE,
        "Won against 9, but 9 reports a draw.",
        "Check the wall chart.",
    )
    assert str(finding) == (
        "Section 2, pairing number 14, round 3: won against 9, but 9 reports a draw. "
        "Check the wall chart."
    )
    assert finding.severity is Severity.ERROR
    assert finding.key == "result.not_mirrored|s2|p14|r3|"


def test_keys_differ_with_the_place_and_not_with_the_words() -> None:
    place = Place(section=1, field="name")
    first = found("section.name_missing", place, "The section has no name.")
    reworded = found("section.name_missing", place, "Nameless.")
    files = {
        found("dbf.truncated", Place(file=name), "Cut.").key for name in ("a", "b")
    }
    assert first.key == reworded.key == "section.name_missing|s1|||name"
    assert files == {"dbf.truncated||||@a", "dbf.truncated||||@b"}


def test_finding_survives_json() -> None:
    finding = found("result.missing", PLACE, "The result is missing.", "Look.")
    assert Finding.from_json(json.loads(json.dumps(finding.to_json()))) == finding


def test_gravest_findings_come_first_then_the_first_places() -> None:
    note = Finding(Severity.NOTE, "a", Place(), "n")
    caution = Finding(Severity.CAUTION, "a", Place(), "n")
    confirm = Finding(Severity.CONFIRM, "a", Place(section=1), "n")
    late = Finding(Severity.ERROR, "a", Place(section=2), "n")
    early = Finding(Severity.ERROR, "z", Place(section=1, pairing_number=3), "n")
    event = Finding(Severity.ERROR, "z", Place(), "n")
    ordered = [event, early, late, confirm, caution, note]
    assert in_order(reversed(ordered)) == ordered


def test_thousand_findings_of_a_kind_become_a_hundred_and_a_summary() -> None:
    collector = Collector()
    for number in range(1000):
        place = Place(section=1, pairing_number=number, round_number=1)
        collector.add("result.missing", place, "The result is missing.")
    findings = collector.in_order()
    assert len(findings) == FINDINGS_PER_SECTION_AND_CODE + 1
    [summary] = [finding for finding in findings if finding.place.field == "more"]
    assert summary.severity is Severity.ERROR
    assert summary.message.startswith("There are 900 more findings of this kind")


def test_every_code_is_dotted_and_explained() -> None:
    for code, (severity, meaning) in CODES.items():
        assert re.fullmatch(r"[a-z]+\.[a-z_]+", code)
        assert isinstance(severity, Severity)
        assert meaning
        assert not meaning.endswith(".")
