"""Public queries use `ratings.ledger.queries.published_ratings`, not raw columns.

Each place in packages with public pages that names a raw column of the ledger is listed
here with its reason; a new one fails until it is listed or takes the published number.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

from django.conf import settings

PUBLIC = (
    *(
        "ratings/api",
        "ratings/pages/crosstable",
        "ratings/pages/estimator",
        "ratings/home",
    ),
    *(
        "ratings/lists",
        "ratings/decisions/matches",
        "ratings/open_data",
        "ratings/pages/profile",
    ),
    *(
        "ratings/research/systems",
        "ratings/research/monthly",
        "ratings/rerates/queries.py",
    ),
    *(
        "ratings/rerates/views.py",
        "ratings/decisions/floors/queries",
        "ratings/foreign/queries",
    ),
    *("ratings/ledger/queries/opponent_games.py", "ratings/notices", "events/public"),
    *("players/members", "ratings/previews/reports"),
)
RAW = {"post_rating", "pre_rating", "initial_rating", "intermediate"}
# Where raw columns are read, and why that is safe.
ALLOWED = {
    ("ratings/api/estimate.py", ""): "an example of what the caller sends and gets",
    ("ratings/api/events.py", "_standing"): "exact for the director and the office",
    ("ratings/pages/crosstable/queries/crosstable.py", "after"): "published here",
    ("ratings/pages/crosstable/queries/crosstable.py", "before"): "published here",
    ("ratings/pages/crosstable/rows.py", "_post"): "exact for who may see it",
    ("ratings/pages/crosstable/rows.py", "_pre"): "exact for who may see it",
    (
        "ratings/pages/crosstable/rows.py",
        "differs",
    ): "compared with what others printed",
    (
        "ratings/decisions/floors/queries/floors.py",
        "_peak_since",
    ): "a peak, published by records",
    ("ratings/decisions/floors/queries/floors.py", "_standing"): "published by records",
    (
        "ratings/decisions/floors/queries/life_masters.py",
        "_counted",
    ): "counted above 2200",
    (
        "ratings/decisions/floors/queries/records.py",
        "_peaks_reached",
    ): "finds the line of a peak",
    (
        "ratings/decisions/floors/queries/titles.py",
        "_rated",
    ): "compared with a title's level",
    (
        "ratings/decisions/floors/queries/titles.py",
        "regular_lines",
    ): "compared with a title's level",
    ("ratings/lists/queries/official.py", "_current_lines"): "published here",
    ("ratings/decisions/matches/queries.py", "_earlier"): "exact for the office only",
    ("ratings/notices/services.py", "_best_before"): "names a class",
    ("ratings/notices/services.py", "new_class"): "names a class",
    ("ratings/open_data/queries.py", "_ratings"): "published here",
    ("ratings/pages/profile/queries/chain.py", "chains_of"): "published here",
    (
        "ratings/pages/profile/queries/lines.py",
        "_imported_line",
    ): "printed by a report of before",
    ("ratings/pages/profile/queries/results.py", "_lines"): "published by its record",
    (
        "ratings/pages/profile/queries/standings.py",
        "current_of",
    ): "finds the line of a peak",
}


def named_raw() -> Iterator[tuple[str, str]]:
    """Yield module and function of each place that names a raw column."""
    root = Path(settings.BASE_DIR)
    for place in PUBLIC:
        path = root / place
        for file in [path] if path.is_file() else sorted(path.rglob("*.py")):
            tree = ast.parse(file.read_text())
            for scope in ast.walk(tree):
                if not isinstance(scope, ast.FunctionDef | ast.ClassDef | ast.Module):
                    continue
                name = getattr(scope, "name", "")
                for node in _own_nodes(scope):
                    if isinstance(node, ast.Attribute) and node.attr in RAW:
                        yield str(file.relative_to(root)), name
                    if isinstance(node, ast.Constant) and node.value in RAW:
                        yield str(file.relative_to(root)), name
                    if isinstance(node, ast.keyword) and node.arg in RAW:
                        yield str(file.relative_to(root)), name


def _own_nodes(scope: ast.AST) -> Iterator[ast.AST]:
    for child in ast.iter_child_nodes(scope):
        if not isinstance(child, ast.FunctionDef | ast.ClassDef):
            yield child
            yield from _own_nodes(child)


def test_raw_ratings_are_read_only_where_it_is_known_why():
    assert sorted(set(named_raw())) == sorted(ALLOWED)
