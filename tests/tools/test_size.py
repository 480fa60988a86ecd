import json

from tests.tools import size
from tests.tools.size import code_lines, compare

SOURCE = '''"""A docstring
of two lines."""

# A comment
import re  # counted


def both(
    a,
    b,
):
    """Return both."""
    text = """of
    two lines"""
    return a, b
'''


def test_lines_with_a_code_token_count():
    assert code_lines(SOURCE) == 8


def test_a_package_above_its_budget_is_named(monkeypatch, tmp_path, capsys):
    counted = {"players": 300, "players/claims": 80, "templates": 70}
    budget = counted | {"players/claims": 79}
    monkeypatch.setattr(size, "BUDGET", tmp_path / "budget.json")
    size.BUDGET.write_text(json.dumps(budget))
    assert compare("--check", counted) == 1
    assert "Above the size budget: players/claims." in capsys.readouterr().out
    assert compare("--write", counted) == 0
    assert compare("--check", counted) == 0
