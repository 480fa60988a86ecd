"""Queries of the effects of corrections on ratings."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _

from events.models import SectionVersion
from events.records.section_rater import RatingNote
from players.models import Player
from ratings.engine.numbers import official
from ratings.engine.systems import System
from ratings.models import RerateMark


def notes_on(versions: Sequence[SectionVersion]) -> dict[int, RatingNote]:
    """Return for each correction whether a rerate has included it (one query).

    A pending rerate belongs to the newest version that is not younger, because a
    correction creates both in one transaction. Without one, ratings do not change.
    """
    marks = _marks({version.section_id for version in versions})
    notes: dict[int, RatingNote] = {}
    for version in sorted(versions, key=lambda one: one.made_at, reverse=True):
        if version.number == 1:
            continue
        waiting = marks[version.section_id]
        if waiting and waiting[-1].left_at >= version.made_at:
            notes[version.pk] = _note(waiting.pop())
    return notes


def _marks(sections: set[int]) -> defaultdict[int | None, list[RerateMark]]:
    marks: defaultdict[int | None, list[RerateMark]] = defaultdict(list)
    for mark in RerateMark.objects.filter(
        section__in=sections, kind=RerateMark.Kind.CORRECTION
    ).order_by("left_at", "pk"):
        marks[mark.section_id].append(mark)
    return marks


def _note(mark: RerateMark) -> RatingNote:
    if mark.run_id is None:
        sentence = _("Ratings will change with the next rerate.")
        return RatingNote(sentence, waits=True)
    return RatingNote(
        _("Ratings changed with rerate {run_id}.").format(run_id=mark.run_id),
        url=reverse("ratings:rerate", args=[mark.run_id]),
    )


@dataclass(frozen=True, slots=True)
class Move:
    """A rating before and after; None is unrated, or no change in points."""

    player: Player
    system: System
    before: float | None
    after: float | None

    @property
    def difference(self) -> int | None:
        if self.before is None or self.after is None:
            return None
        return official(self.after) - official(self.before)


def load_effect(summary: dict[str, Any]) -> dict[str, Any]:
    """Return a dry run's summary with the members it names (one query).

    *lines* are ratings after the corrected section, *movers* current ratings.
    """
    lines, movers = summary["lines"], summary["movers"]
    people = Player.objects.in_bulk({one["player"] for one in (*lines, *movers)})
    return {
        "players": summary["players"],
        "sections": summary["sections"]["count"],
        "lines": list(_moves(lines, people, "post_before", "post_after")),
        "movers": list(_moves(movers, people, "before", "after")),
    }


def _moves(
    rows: Iterable[dict[str, Any]], people: dict[int, Player], before: str, after: str
) -> Iterator[Move]:
    for row in rows:
        yield Move(
            people[row["player"]], System(row["system"]), row[before], row[after]
        )
