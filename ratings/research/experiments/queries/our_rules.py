"""The part of an experiment's page that only our own rules have."""

from collections.abc import Iterator, Mapping
from typing import Any

from django.utils.translation import gettext as _

from ratings.engine.variation.reconstructions import BADGE
from ratings.research.experiments.queries.cells import (
    MIN_PEOPLE,
    Sheet,
    signed,
    suppress_small_groups,
)


def badge_of(results: dict[str, Any] | None) -> str:
    """Return the badge of rules that are in no edition, empty if there is none."""
    found = (results or {}).get("our_rules")
    return _(BADGE) if found and any(found["reconstructed"]) else ""


def rule_sheets(
    found: dict[str, Any], labels: Mapping[int, str], *, for_committee: bool
) -> Iterator[Sheet]:
    """Yield the effects on ratings, and the classes that would be reached and lost.

    A variant that moves no rating by a whole point and no floor yields nothing.
    """
    for effects in found["effects"]:
        if not _moves_anything(effects):
            continue
        number = effects["number"]
        yield _named(effects, number, labels[number], for_committee)
        yield _reached(effects, number, labels[number])


def _moves_anything(effects: dict[str, Any]) -> bool:
    moved = any(any(row[4:6]) for row in effects["activity"])
    return moved or any(effects["floors"].values())


def _named(
    effects: dict[str, Any], number: int, label: str, for_committee: bool
) -> Sheet:
    rows = [*effects["activity"], *effects["states"]]
    if not for_committee:
        # After its name, a band has its two limits and then its people.
        rows = [
            *suppress_small_groups(effects["activity"], MIN_PEOPLE, 3),
            *suppress_small_groups(effects["states"], MIN_PEOPLE, 3),
        ]
    return Sheet(
        name=f"effects-{number}",
        title=_("By activity and state: {variant}").format(variant=label),
        columns=[
            *("band", "from", "to", "players", "gained", "lost", "mean", "median"),
            *("percentile_5", "percentile_25", "percentile_75", "percentile_95"),
        ],
        rows=rows,
        headings=[
            _("Group"),
            _("Players"),
            _("Gained"),
            _("Lost"),
            _("Mean"),
            _("Median"),
        ],
        cells=[
            [
                _(row[0]) if row[0] else _("unknown"),
                f"{row[3]:,}",
                f"{row[4]:,}",
                f"{row[5]:,}",
                signed(row[6], 1),
                signed(row[7], 1),
            ]
            for row in rows
        ],
        caption=_("Final rating under the changed rules minus the actual rating."),
    )


def _reached(effects: dict[str, Any], number: int, label: str) -> Sheet:
    rows = effects["reached"]
    floors = effects["floors"]
    return Sheet(
        name=f"classes-{number}",
        title=_("Classes and floors: {variant}").format(variant=label),
        columns=["class", "before", "after", "reached", "lost"],
        rows=rows,
        headings=[
            _("Class"),
            _("Actual"),
            _("Changed rules"),
            _("Also reached"),
            _("No longer reached"),
        ],
        cells=[
            [_(name), *(f"{count:,}" for count in counts)] for name, *counts in rows
        ],
        caption=_(
            "A class is reached by the highest established rating. Floors would "
            "be higher for {higher} members and lower for {lower}."
        ).format(higher=f"{floors['higher']:,}", lower=f"{floors['lower']:,}"),
    )
