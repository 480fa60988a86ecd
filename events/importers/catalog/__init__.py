"""Every kind of finding that a report can have: the one list of codes and words.

A kind is named by its code, and where a code has several sentences by a word behind
it: ``zip.unreadable/packing`` is another reason of ``zip.unreadable``.
"""

from events.importers.catalog.chess_results import CHESS_RESULTS
from events.importers.catalog.files import FILES
from events.importers.catalog.kinds import FindingKind, Severity
from events.importers.catalog.pgn import PGN
from events.importers.catalog.ratings import RATINGS
from events.importers.catalog.records import RECORDS
from events.importers.catalog.report import REPORT
from events.importers.catalog.swisssys import SWISSSYS
from events.importers.catalog.tables import TABLES

__all__ = ["GROUPS", "KINDS", "FindingKind", "Severity"]

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
KINDS: dict[str, FindingKind] = {
    name: kind for group in GROUPS.values() for name, kind in group.items()
}
