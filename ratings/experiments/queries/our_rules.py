"""What an experiment with our own rules says on its page, besides what all say."""

from collections.abc import Iterator, Mapping
from typing import Any

from django.utils.translation import gettext as _

from ratings.engine.variation.reconstructions import BADGE
from ratings.experiments.queries.cells import FEWEST_PEOPLE, Sheet, enough, signed


def badge_of(results: dict[str, Any] | None) -> str:
    """Return the badge of what no edition of the rules says, empty if there is none."""
    found = (results or {}).get("our_rules")
    return _(BADGE) if found and any(found["reconstructed"]) else ""


def rule_sheets(
    found: dict[str, Any], labels: Mapping[int, str], *, for_committee: bool
) -> Iterator[Sheet]:
    """Yield whose rating would move, and which classes would be reached and lost.

    Of a variant that moves no rating by a whole point, and no floor, nothing.
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
        # Behind its name, a band has its two limits and then its people.
        rows = [
            *enough(effects["activity"], FEWEST_PEOPLE, 3),
            *enough(effects["states"], FEWEST_PEOPLE, 3),
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
            _("Band"),
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
        caption=_("Rating under the varied rules less rating as it was, in the end."),
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
            _("As it was"),
            _("As varied"),
            _("Reached besides"),
            _("Not reached"),
        ],
        cells=[
            [_(name), *(f"{count:,}" for count in counts)] for name, *counts in rows
        ],
        caption=_(
            "Reached is by highest established rating. Floors: {higher} members’ would "
            "be higher, {lower} lower."
        ).format(higher=f"{floors['higher']:,}", lower=f"{floors['lower']:,}"),
    )
