"""What a person has looked at before publishing, and whether it still holds."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Self

from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext

from ratings.models import Run
from ratings.rerates.services.arrivals import Seen, reports_since
from ratings_site.common.looks.figures import day_in_words

# The counts of a summary that a person looks at, and how one that has moved is told.
COUNTS = {
    "whole_changes": gettext_noop("ratings changed: {shown:,}, now {now:,}"),
    "players": gettext_noop("members touched: {shown:,}, now {now:,}"),
    "floors": gettext_noop("floors touched: {shown:,}, now {now:,}"),
    "classes": gettext_noop("classes touched: {shown:,}, now {now:,}"),
    "established": gettext_noop("established or not any more: {shown:,}, now {now:,}"),
    "titles": gettext_noop("titles touched: {shown:,}, now {now:,}"),
}
# With this leave, a count may move by one in fifty, or by 5 where that is less.
ONE_IN, SOME = 50, 5


def counts_of(summary: Mapping[str, Any]) -> dict[str, int]:
    """Return the counts that a preview shows, by their names in the summary."""
    return {name: _count(summary.get(name, 0)) for name in COUNTS}


def _count(value: int | dict[str, Any]) -> int:
    return value["count"] if isinstance(value, dict) else value


@dataclass(frozen=True, slots=True)
class News:
    """Why a run is not published as it was approved: what arrived, and what it moved.

    *moved* has, by the name of a count, what was shown and what it is now.
    """

    reports: int
    since: datetime
    moved: Mapping[str, tuple[int, int]]

    @classmethod
    def stored(cls, facts: Mapping[str, Any]) -> Self:
        since = datetime.fromisoformat(facts["since"])
        return cls(facts["reports"], since, facts["moved"])

    def as_json(self) -> dict[str, Any]:
        return {
            "reports": self.reports,
            "since": self.since.isoformat(),
            "moved": dict(self.moved),
        }

    def __str__(self) -> str:
        since = timezone.localtime(self.since)
        sentence = ngettext(
            "Not published: {number:,} report has arrived since {day}, {time}, and the "
            "preview is not what was approved ({changes}). Look at it again and "
            "publish.",
            "Not published: {number:,} reports have arrived since {day}, {time}, and "
            "the preview is not what was approved ({changes}). Look at it again and "
            "publish.",
            self.reports,
        )
        if not self.reports:
            sentence = _(
                "Not published: what ratings rest on has changed since {day}, {time}, "
                "and the preview is not what was approved ({changes}). Look at it "
                "again and publish."
            )
        return sentence.format(
            number=self.reports,
            day=day_in_words(since),
            time=f"{since:%H:%M}",
            changes="; ".join(
                _(COUNTS[name]).format(shown=shown, now=now)
                for name, (shown, now) in self.moved.items()
            ),
        )


@dataclass(frozen=True, slots=True)
class Preview:
    """What a person has looked at: its counts, and when what it rests on was read.

    *with_arrivals* is the person's leave to publish although what arrives until then
    moves the counts a little.
    """

    counts: Mapping[str, int]
    seen: Seen | None
    ready_at: datetime
    with_arrivals: bool = False

    @classmethod
    def of(cls, run: Run, *, with_arrivals: bool = False) -> Self:
        seen = Seen.stored(run.progress)
        return cls(counts_of(run.summary), seen, run.ready_at, with_arrivals)

    @classmethod
    def stored(cls, facts: Mapping[str, Any]) -> Self:
        return cls(
            facts["counts"],
            Seen.stored(facts),
            datetime.fromisoformat(facts["ready_at"]),
            facts["with_arrivals"],
        )

    def as_json(self) -> dict[str, Any]:
        return {
            "counts": dict(self.counts),
            "seen": self.seen.as_json() if self.seen else None,
            "ready_at": self.ready_at.isoformat(),
            "with_arrivals": self.with_arrivals,
        }

    def news(self, run: Run) -> News | None:
        """Return how the run differs from this, by more than there is leave for."""
        now = counts_of(run.summary)
        moved = {
            name: (shown, now[name])
            for name, shown in self.counts.items()
            if abs(now[name] - shown) > self._leave(shown)
        }
        return News(reports_since(self.seen), self.ready_at, moved) if moved else None

    def _leave(self, shown: int) -> int:
        return max(SOME, shown // ONE_IN) if self.with_arrivals else 0
