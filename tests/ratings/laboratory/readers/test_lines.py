import io
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ratings.laboratory.readers import lines as lines_module
from ratings.laboratory.readers.findings import Findings
from ratings.laboratory.readers.lines import (
    MAX_LINE_LENGTH,
    decode_line,
    numbered_lines,
)


def lines_of(data):
    return [line for _, line in numbered_lines(io.BytesIO(data))]


texts = st.lists(
    st.sampled_from([b"\r", b"\n", b"\r\n", b"a", b"bc", b"\x0b", b"\x1c", b"\xc2\x85"])
).map(b"".join)


@pytest.mark.parametrize("block", [1, 2, 3, 7, 1 << 18])
@given(data=texts)
def test_lines_are_the_same_however_they_fall_into_blocks(block, data):
    expected = re.split(rb"\r\n|\r|\n", data)
    if expected[-1] == b"":
        expected.pop()
    before = lines_module._BLOCK
    lines_module._BLOCK = block
    try:
        assert lines_of(data) == expected
    finally:
        lines_module._BLOCK = before


def test_lines_are_numbered_from_one():
    assert [number for number, _ in numbered_lines(io.BytesIO(b"a\n\nb"))] == [1, 2, 3]


@pytest.mark.parametrize("end", [b"\n", b"\r", b"\r\n"])
@pytest.mark.parametrize(
    "block",
    [100, MAX_LINE_LENGTH + 2, MAX_LINE_LENGTH + 3, 3 * MAX_LINE_LENGTH + 1, 1 << 18],
)
def test_a_long_line_is_cut_and_the_next_one_stays(monkeypatch, end, block):
    monkeypatch.setattr(lines_module, "_BLOCK", block)
    found = lines_of(b"x" * (3 * MAX_LINE_LENGTH) + end + b"next" + end)
    assert found == [b"x" * (MAX_LINE_LENGTH + 1), b"next"]


def test_the_longest_line_is_whole():
    assert lines_of(b"x" * MAX_LINE_LENGTH + b"\nnext") == [
        b"x" * MAX_LINE_LENGTH,
        b"next",
    ]


def test_utf_8_is_read_without_a_word():
    findings = Findings()
    assert decode_line("José".encode(), 1, findings) == "José"
    assert len(findings) == 0


@given(st.binary(max_size=30))
def test_any_bytes_are_some_text(line):
    assert isinstance(decode_line(line, 1, Findings()), str)
