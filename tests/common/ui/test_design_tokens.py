"""The colors of tokens.css: text contrast on all backgrounds in both themes."""

import re
from pathlib import Path

import pytest

STATIC = Path(__file__).parents[3] / "ratings_site" / "static" / "office"
STYLESHEETS = [
    path for path in sorted((STATIC / "css").glob("*.css")) if path.name != "admin.css"
]
TOKENS = (STATIC / "css" / "tokens.css").read_text()
PAIR = re.compile(r"--([\w-]+): light-dark\((#[0-9a-f]{3,6}), (#[0-9a-f]{3,6})\);")
COLORS = {name: {"light": a, "dark": b} for name, a, b in PAIR.findall(TOKENS)}
GROUNDS = ("paper", "raised", "sunken")
STATES = ("error", "warning", "note", "good")

TEXT_ON_GROUND = [
    *((text, ground) for text in ("ink", "quiet") for ground in GROUNDS),
    *((text, ground) for text in ("accent", "accent-strong") for ground in GROUNDS),
    *((text, ground) for text in STATES for ground in (*GROUNDS, f"{text}-tint")),
    *(("ink", f"{state}-tint") for state in STATES),
    *((text, "accent-tint") for text in ("ink", "quiet", "accent", "accent-strong")),
    *((state, "accent-tint") for state in STATES),
    ("on-accent", "accent"),
    ("on-accent", "accent-strong"),
]


def luminance(color: str) -> float:
    """Return the relative luminance of WCAG 2."""
    digits = color[1:] if len(color) == 7 else "".join(d * 2 for d in color[1:])
    shares = [int(digits[i : i + 2], 16) / 255 for i in (0, 2, 4)]
    red, green, blue = (
        share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4
        for share in shares
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def test_contrast_of_black_and_white_is_21():
    assert contrast("#000", "#ffffff") == pytest.approx(21)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_text_passes_aa_on_every_ground(theme):
    ratios = {
        f"{text} on {ground}": round(
            contrast(COLORS[text][theme], COLORS[ground][theme]), 2
        )
        for text, ground in TEXT_ON_GROUND
    }
    assert {pair: ratio for pair, ratio in ratios.items() if ratio < 4.5} == {}


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_borders_of_fields_can_be_seen(theme):
    ratios = {
        ground: contrast(COLORS["rule"][theme], COLORS[ground][theme])
        for ground in ("paper", "raised")
    }
    assert {ground for ground, ratio in ratios.items() if ratio < 3} == set()


def test_there_are_six_sizes_of_type():
    assert len(re.findall(r"^\s*--text-\w+:", TOKENS, re.MULTILINE)) == 6


def test_pages_use_only_colors_and_sizes_that_exist():
    stylesheet = "".join(path.read_text() for path in STYLESHEETS)
    defined = set(re.findall(r"(--[\w-]+)\s*:", TOKENS + stylesheet))
    used = set(re.findall(r"var\((--[\w-]+)", stylesheet))
    assert used - defined == set()


def test_nothing_comes_from_another_host():
    text = "".join(
        p.read_text(errors="replace") for p in STATIC.rglob("*") if p.is_file()
    )
    addresses = set(re.findall(r"https?://[^\s\"')]+|url\(|@import", text))
    # An XML namespace, which is not fetched.
    assert addresses == {"http://www.w3.org/2000/svg"}


def test_narrow_screen_rules_do_not_apply_to_print():
    stylesheet = "".join(path.read_text() for path in STYLESHEETS)
    conditions = re.findall(r"@media ([^{]+) \{", stylesheet)
    widths = [condition for condition in conditions if "width" in condition]
    assert widths
    assert [c for c in widths if not c.startswith("screen and")] == []


def test_the_stylesheet_stays_small():
    assert len((STATIC / "css" / "office.css").read_bytes()) < 32_000
