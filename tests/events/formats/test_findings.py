from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from events.formats.catalog import FINDING_KINDS
from events.formats.catalog.document import main, render
from events.formats.findings import (
    FINDINGS_PER_SECTION_AND_CODE,
    Collector,
    Finding,
    Place,
    Severity,
    in_order,
    make_finding,
)

ROOT = Path(__file__).resolve().parents[3]
PLACE = Place(section=2, pairing_number=14, round_number=3)


def test_finding_reads_as_place_sentence_and_hint() -> None:
    finding = make_finding("result.unknown_opponent/in_game", PLACE, opponent=9)
    assert str(finding) == (
        "Section 2, pairing number 14, round 3: the opponent, 9, is not in the "
        "section. Enter the opponent’s pairing number."
    )
    assert finding.severity is Severity.ERROR
    assert finding.key == "result.unknown_opponent|s2|p14|r3|"


def test_keys_differ_with_the_place_and_not_with_the_words() -> None:
    one, other = (
        make_finding("dbf.header", PLACE, header_length=1, after_fields=2),
        make_finding("dbf.header/record_length", PLACE, declared=1, needed=2),
    )
    files = {
        make_finding("dbf.truncated", Place(file=name), number=1).key
        for name in ("a", "b")
    }
    assert one.key == other.key == "dbf.header|s2|p14|r3|"
    assert files == {"dbf.truncated||||@a", "dbf.truncated||||@b"}


def test_what_a_finding_is_about_is_a_part_of_its_code() -> None:
    finding = make_finding("director.unknown", Place(), about="7", member_id="7")
    assert finding.code == "director.unknown.7"


def test_finding_survives_json() -> None:
    finding = make_finding("dbf.truncated", PLACE, number=7)
    assert Finding.from_json(json.loads(json.dumps(finding.to_json()))) == finding


def test_most_severe_findings_come_first_then_the_first_places() -> None:
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
        collector.add("result.missing", place)
    findings = collector.in_order()
    assert len(findings) == FINDINGS_PER_SECTION_AND_CODE + 1
    [summary] = [finding for finding in findings if finding.place.field == "more"]
    assert summary.severity is Severity.ERROR
    assert summary.message == (
        "There are 900 more issues like this one: The result is missing."
    )


def test_every_kind_has_a_dotted_code_and_whole_sentences() -> None:
    for name, kind in FINDING_KINDS.items():
        assert re.fullmatch(r"[a-z_]+\.[a-z_]+(/[a-z_]+)?", name)
        assert name.partition("/")[0] in FINDING_KINDS
        for text in (kind.text, kind.hint or "."):
            assert text.endswith((".", "}")), name


def test_the_committed_page_is_up_to_date() -> None:
    committed = (ROOT / "docs/findings.md").read_text(encoding="utf-8")
    assert committed == render(), (
        "docs/findings.md is out of date. "
        "Run: python -m events.formats.catalog.document docs/findings.md"
    )


def test_the_program_writes_the_page(tmp_path: Path) -> None:
    target = tmp_path / "findings.md"
    main([str(target)])
    assert target.read_text(encoding="utf-8") == render()
    with pytest.raises(SystemExit, match="Name the file to write"):
        main([])
