"""The part of an experiment's page that only our own rules have."""

from collections.abc import Iterator, Mapping
from typing import Any

from django.utils.translation import gettext as _

from ratings.engine.variation.reconstructions import BADGE
from ratings.research.experiments.queries.cells import (
    EFFECT_COLUMNS,
    MIN_PEOPLE,
    Sheet,
    change_in,
    count_in,
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
    return Sheet.of(
        f"effects-{number}",
        _("By activity and state: {variant}").format(variant=label),
        ["band", *EFFECT_COLUMNS],
        rows,
        [
            (_("Group"), lambda row: _(row[0]) if row[0] else _("unknown")),
            (_("Players"), count_in(3)),
            (_("Gained"), count_in(4)),
            (_("Lost"), count_in(5)),
            (_("Mean"), change_in(6)),
            (_("Median"), change_in(7)),
        ],
        caption=_("Final rating under the changed rules minus the actual rating."),
    )


def _reached(effects: dict[str, Any], number: int, label: str) -> Sheet:
    floors = effects["floors"]
    return Sheet.of(
        f"classes-{number}",
        _("Classes and floors: {variant}").format(variant=label),
        ["class", "before", "after", "reached", "lost"],
        effects["reached"],
        [
            (_("Class"), lambda row: _(row[0])),
            (_("Actual"), count_in(1)),
            (_("Changed rules"), count_in(2)),
            (_("Also reached"), count_in(3)),
            (_("No longer reached"), count_in(4)),
        ],
        caption=_(
            "A class is reached by the highest established rating. Floors would "
            "be higher for {higher} members and lower for {lower}."
        ).format(higher=f"{floors['higher']:,}", lower=f"{floors['lower']:,}"),
    )
