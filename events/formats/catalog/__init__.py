"""All kinds of findings that a report can have: the only list of codes and messages.

A kind's name is its code, with a suffix if the code has several messages:
``zip.unreadable/packing`` is one reason for ``zip.unreadable``.
"""

from events.formats.catalog.chess_results import CHESS_RESULTS
from events.formats.catalog.files import FILES
from events.formats.catalog.kinds import FindingKind, Severity
from events.formats.catalog.pgn import PGN
from events.formats.catalog.ratings import RATINGS
from events.formats.catalog.records import RECORDS
from events.formats.catalog.report import REPORT
from events.formats.catalog.swisssys import SWISSSYS
from events.formats.catalog.tables import TABLES

__all__ = ["FINDING_KINDS", "GROUPS", "FindingKind", "Severity"]

GROUPS = {
    "Files": FILES,
    "Files of SwissSys": SWISSSYS,
    "Files of games (PGN)": PGN,
    "Files for chess-results.com": CHESS_RESULTS,
    "Tables": TABLES,
    "The report by itself": REPORT,
    "The office's records": RECORDS,
    "Ratings and time controls": RATINGS,
}
FINDING_KINDS: dict[str, FindingKind] = {
    name: kind for group in GROUPS.values() for name, kind in group.items()
}
