"""The rows of a member's history as CSV."""

from collections.abc import Iterable, Iterator

from ratings.pages.profile.queries.lines import HistoryLine, ImportedLine
from ratings_site.common.ui.formatting import decimal_rating, format_rating
from ratings_site.common.web.files import escape_formula

COLUMNS = (
    *("date", "event", "section", "url", "system", "score", "games"),
    *("before", "after", "change"),
)


def history_rows(
    lines: Iterable[HistoryLine | ImportedLine], site: str
) -> Iterator[tuple[object, ...]]:
    """Yield the column names, then a row for each line; *site* begins the URLs.

    Imported events have no system, and the ratings of their reports.
    """
    yield COLUMNS
    for line in lines:
        texts = escape_formula(line.title), escape_formula(line.section)
        url = site + line.url if line.url else ""
        score = f"{line.half_points / 2:.1f}" if line.games else ""
        start = (line.day.isoformat(), *texts, url)
        if isinstance(line, ImportedLine):
            around = escape_formula(line.before), escape_formula(line.after)
            yield *start, "imported", score, line.games, *around, ""
        else:
            written = decimal_rating if line.is_exact else format_rating
            before = "" if line.before is None else written(line.before)
            change = "" if line.change is None else line.change
            around = before, written(line.after)
            yield *start, line.system.value, score, line.games, *around, change
