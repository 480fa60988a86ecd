"""The first line of each member of a file, in a fifth of a dictionary's memory."""

from __future__ import annotations

from array import array

_SLOTS = 1 << 10


class FirstLines:
    """The first line with each number, for a million numbers of 64 bits.

    A hash table with open addressing: the slots are two arrays, and a line of 0 marks a
    free one. It is never more than half full.
    """

    def __init__(self) -> None:
        self._create(_SLOTS)

    def _create(self, slots: int) -> None:
        self._numbers, self._lines = array("q", [0]) * slots, array("I", [0]) * slots
        self._used = 0

    def setdefault(self, number: int, line: int) -> int:
        """Return the first line with *number*, which is *line* if there is none yet."""
        numbers, lines, last_slot = self._numbers, self._lines, len(self._lines) - 1
        slot = number & last_slot
        while lines[slot] and numbers[slot] != number:
            slot = (slot + 1) & last_slot
        if lines[slot]:
            return lines[slot]
        numbers[slot], lines[slot] = number, line
        self._used += 1
        if self._used * 2 > len(lines):
            self._grow()
        return line

    def _grow(self) -> None:
        pairs = zip(self._numbers, self._lines, strict=True)
        self._create(len(self._lines) * 2)
        for number, line in pairs:
            if line:
                self.setdefault(number, line)
