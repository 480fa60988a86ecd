"""The six rating systems, and the bodies whose ratings can start a player."""

from __future__ import annotations

from enum import StrEnum


class System(StrEnum):
    """One of the six US Chess rating systems (2025 paper, introduction)."""

    OTBR = "OTBR"
    OTBQ = "OTBQ"
    OTBB = "OTBB"
    OLR = "OLR"
    OLQ = "OLQ"
    OLB = "OLB"

    @property
    def is_online(self) -> bool:
        return self.startswith("OL")

    @property
    def label(self) -> str:
        """The display name.

        >>> System.OLB.label
        'Online blitz'
        """
        return _LABELS[self]

    @property
    def short(self) -> str:
        """The letters used in a crosstable.

        >>> System.OLB.short
        'OB'
        """
        return _SHORT[self]


class Body(StrEnum):
    """Another federation whose ratings are converted (2025 paper, section 2)."""

    FIDE = "FIDE"
    CFC = "CFC"


Source = System | Body

_LABELS = {
    System.OTBR: "Regular",
    System.OTBQ: "Quick",
    System.OTBB: "Blitz",
    System.OLR: "Online regular",
    System.OLQ: "Online quick",
    System.OLB: "Online blitz",
}
_SHORT = {
    System.OTBR: "R",
    System.OTBQ: "Q",
    System.OTBB: "B",
    System.OLR: "OR",
    System.OLQ: "OQ",
    System.OLB: "OB",
}
