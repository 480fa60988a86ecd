"""The preview that a person approved, and whether it is still valid."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Self

from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext

from ratings.models import Run
from ratings.rerates.services.snapshot import Snapshot, reports_since
from ratings_site.common.ui.formatting import clock, format_day

# The counts of a preview, and the text if one of them has changed.
COUNTS = {
    "whole_changes": gettext_noop("ratings changed: {shown:,}, now {now:,}"),
    "players": gettext_noop("members affected: {shown:,}, now {now:,}"),
    "floors": gettext_noop("floors affected: {shown:,}, now {now:,}"),
    "classes": gettext_noop("classes affected: {shown:,}, now {now:,}"),
    "established": gettext_noop(
        "changes between established and provisional: {shown:,}, now {now:,}"
    ),
    "titles": gettext_noop("titles affected: {shown:,}, now {now:,}"),
}
# With arrivals allowed, a count may change by one in fifty, or by 5 if that is more.
ONE_IN, SOME = 50, 5


def preview_counts(summary: Mapping[str, Any]) -> dict[str, int]:
    """Return the counts that a preview shows, by their names in the summary."""
    return {name: _count(summary.get(name, 0)) for name in COUNTS}


def _count(value: int | dict[str, Any]) -> int:
    return value["count"] if isinstance(value, dict) else value


@dataclass(frozen=True, slots=True)
class PreviewChanges:
    """Why a run was not published as approved: new reports, and changed counts.

    *moved* has, by the name of a count, the number that was shown and the current one.
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
            "Not published: {number:,} report has arrived since {day}, {time}, and "
            "the preview has changed ({changes}). Review it again, then publish.",
            "Not published: {number:,} reports have arrived since {day}, {time}, "
            "and the preview has changed ({changes}). Review it again, then "
            "publish.",
            self.reports,
        )
        if not self.reports:
            sentence = _(
                "Not published: data has changed since {day}, {time}, and so has "
                "the preview ({changes}). Review it again, then publish."
            )
        return sentence.format(
            number=self.reports,
            day=format_day(since),
            time=clock(since),
            changes="; ".join(
                _(COUNTS[name]).format(shown=shown, now=now)
                for name, (shown, now) in self.moved.items()
            ),
        )


@dataclass(frozen=True, slots=True)
class Preview:
    """The preview that a person reviewed: its counts, and the time of its data.

    *with_arrivals* allows publishing although new reports change the counts a little.
    """

    counts: Mapping[str, int]
    seen: Snapshot | None
    ready_at: datetime
    with_arrivals: bool = False

    @classmethod
    def of(cls, run: Run, *, with_arrivals: bool = False) -> Self:
        seen = Snapshot.stored(run.progress)
        assert run.ready_at is not None  # noqa: S101 (a run with a preview is ready)
        return cls(preview_counts(run.summary), seen, run.ready_at, with_arrivals)

    @classmethod
    def stored(cls, facts: Mapping[str, Any]) -> Self:
        return cls(
            facts["counts"],
            Snapshot.stored(facts),
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

    def news(self, run: Run) -> PreviewChanges | None:
        """Return how the run differs from this, beyond what is allowed; None if not."""
        now = preview_counts(run.summary)
        moved = {
            name: (shown, now[name])
            for name, shown in self.counts.items()
            if abs(now[name] - shown) > self._leave(shown)
        }
        return (
            PreviewChanges(reports_since(self.seen), self.ready_at, moved)
            if moved
            else None
        )

    def _leave(self, shown: int) -> int:
        return max(SOME, shown // ONE_IN) if self.with_arrivals else 0
