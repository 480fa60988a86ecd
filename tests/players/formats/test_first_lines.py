"""The table of first lines is a dictionary in less memory."""

from hypothesis import given
from hypothesis import strategies as st

from players.formats.first_lines import FirstLines

# Few low bits, so that many numbers want the same slot.
NUMBERS = st.integers(-(2**53), 2**53 - 1).map(lambda n: n << 10) | st.integers(-9, 9)


@given(st.lists(NUMBERS, max_size=3000))
def test_the_first_line_of_each_number_is_kept(numbers):
    table, expected = FirstLines(), {}
    for line, number in enumerate(numbers, start=1):
        first = expected.setdefault(number, line)
        assert table.setdefault(number, line) == first


def test_it_grows():
    table = FirstLines()
    for line in range(1, 5001):
        assert table.setdefault(hash(f"{line}"), line) == line
    assert [table.setdefault(hash(f"{n}"), 9999) for n in (1, 512, 5000)] == [
        1,
        512,
        5000,
    ]
