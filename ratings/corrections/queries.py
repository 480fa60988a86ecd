"""Whether ratings have followed the corrections of sections, and how they would."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from events.books.rater import RatingNote
from events.models import SectionVersion
from players.models import Player
from ratings.engine.numbers import official
from ratings.engine.systems import System
from ratings.models import RerateMark

WAITS = RatingNote(gettext_lazy("The ratings follow with the next rerate."), waits=True)


def notes_on(versions: Sequence[SectionVersion]) -> dict[int, RatingNote]:
    """Say of each correction whether a rerate has taken it in (one query).

    A mark belongs to the newest version that is not younger: the correction leaves it
    in the transaction that makes the version. One without a mark leaves ratings alone.
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


def _marks(sections: set[int]) -> defaultdict[int, list[RerateMark]]:
    marks = defaultdict(list)
    for mark in RerateMark.objects.filter(
        section__in=sections, kind=RerateMark.Kind.CORRECTION
    ).order_by("left_at", "pk"):
        marks[mark.section_id].append(mark)
    return marks


def _note(mark: RerateMark) -> RatingNote:
    if mark.run_id is None:
        return WAITS
    return RatingNote(
        _("The ratings followed with rerate {run_id}.").format(run_id=mark.run_id),
        url=reverse("ratings:rerate", args=[mark.run_id]),
    )


@dataclass(frozen=True, slots=True)
class Move:
    """A rating before and after; None is unrated, or not there (points)."""

    player: Player
    system: System
    before: float | None
    after: float | None

    @property
    def difference(self) -> int | None:
        if self.before is None or self.after is None:
            return None
        return official(self.after) - official(self.before)


@dataclass(frozen=True, slots=True)
class Effect:
    """What a dry run says, ready to show.

    *lines* are ratings after the corrected section, *movers* current ratings.
    """

    players: int
    sections: int
    lines: tuple[Move, ...]
    movers: tuple[Move, ...]


def effect_to_show(summary: dict[str, Any]) -> Effect:
    """Return a dry run's summary with the members it names (one query)."""
    lines, movers = summary["lines"], summary["movers"]
    people = Player.objects.in_bulk({one["player"] for one in (*lines, *movers)})
    return Effect(
        players=summary["players"],
        sections=summary["sections"]["count"],
        lines=tuple(_moves(lines, people, "post_before", "post_after")),
        movers=tuple(_moves(movers, people, "before", "after")),
    )


def _moves(
    rows: Iterable[dict[str, Any]], people: dict[int, Player], before: str, after: str
) -> Iterator[Move]:
    for row in rows:
        yield Move(
            people[row["player"]], System(row["system"]), row[before], row[after]
        )
