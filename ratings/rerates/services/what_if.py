"""Simulate changes: a replay in memory that writes no rating."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from datetime import date
from itertools import zip_longest
from typing import Any, NamedTuple

from django.conf import settings
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from ratings.engine.numbers import official
from ratings.engine.replay.arrays import SYSTEMS
from ratings.models import Calculation, RerateMark, Run
from ratings.rerates.services.change_summary import MAX_SHOWN, ChangeSummary
from ratings.rerates.services.players import SYSTEM_NAMES
from ratings.rerates.services.rating_differences import (
    RatingDifference,
    replayed_ratings,
)
from ratings.rerates.services.replay import (
    Chunk,
    History,
    NotReplayable,
    read_history,
    replay_chunks,
)
from ratings.rerates.services.sources import (
    NO_HYPOTHESIS,
    Hypothesis,
    from_json,
    to_json,
)
from ratings.rerates.services.start import clean_reason, replay_start
from ratings_site.common.audit.services import record
from ratings_site.common.jobs.services import ClaimedJob, JobFailed, enqueue
from ratings_site.common.models import Job, User

WHAT_IF = "ratings.what_if"
# How many lines of an assumed section are listed one by one.
MAX_LINES = 1000
# Up to this many calculations are replayed in a request; more go into a job.
SMALL_WINDOW = 200


class LineDifference(NamedTuple):
    """A player's line after a source; None means no line (ratings in points)."""

    rank: int
    source: int
    system: str
    player: int
    pre_before: float | None
    post_before: float | None
    pre_after: float | None
    post_after: float | None


@dataclass(slots=True)
class SectionDifference:
    """How many players of a section would have another whole rating after it."""

    section: int
    players: int = 0
    largest: float = 0.0


@dataclass(slots=True)
class Differences:
    """The changes by a hypothesis, compared with a rerate of the actual records.

    *effects* counts current ratings; *ratings* lists those that change in whole
    numbers, the largest change first; *lines* are those of the assumed sections.
    """

    from_day: date | None
    effects: ChangeSummary = field(default_factory=ChangeSummary)
    ratings: list[RatingDifference] = field(default_factory=list)
    sections: list[SectionDifference] = field(default_factory=list)
    lines: list[LineDifference] = field(default_factory=list)

    @property
    def players(self) -> int:
        """How many players' current ratings differ, even by a fraction."""
        return len(self.effects.players)

    @property
    def whole_changes(self) -> int:
        return self.effects.whole_changes

    def of(self, player: int, system: str) -> RatingDifference | None:
        """Return the change of one current rating, None if its whole number stays."""
        for move in self.ratings:
            if (move.player, move.system) == (player, system):
                return move
        return None

    def as_json(self) -> dict[str, Any]:
        return {
            **self.effects.as_json(),
            "from_day": self.from_day.isoformat() if self.from_day else None,
            "sections": {
                "count": len(self.sections),
                "shown": [asdict(one) for one in self.sections[:MAX_SHOWN]],
            },
            "lines": [line._asdict() for line in self.lines[:MAX_LINES]],
        }


def simulate(hypothesis: Hypothesis) -> Differences:
    """Return the changes by the hypothesis; nothing is written.

    Both sides are replays of the same window: changes by pending rerates are no
    difference. Raises NotReplayable if a source cannot be rated as assumed.
    """
    from_day = replay_start(hypothesis.from_day)
    edition = settings.RATING_EDITION
    # The same people on both sides: a player of one side has a rating on both.
    baseline = read_history(from_day, edition, also=hypothesis.people)
    supposed = read_history(
        from_day, edition, hypothesis, also=baseline.player_index.ids
    )
    return differences_between(baseline, supposed, Differences(from_day), hypothesis)


def differences_between(
    baseline: History,
    supposed: History,
    differences: Differences,
    hypothesis: Hypothesis = NO_HYPOTHESIS,
) -> Differences:
    """Replay both histories, and record the differences."""
    _compare_lines(baseline, supposed, hypothesis, differences)
    _refuse_missing_rules(baseline, supposed)
    _compare_standings(baseline, supposed, differences)
    return differences


def _refuse_missing_rules(baseline: History, supposed: History) -> None:
    """Raise NotReplayable if the hypothesis needs an unknown rule."""
    known = {(one.source.rank, one.source.pk) for one in baseline.left_out}
    for one in supposed.left_out:
        if (one.source.rank, one.source.pk) not in known:
            raise NotReplayable(one)


RatingMove = tuple[float | None, float]
LineKey = tuple[int, int, int, int]


def _compare_lines(
    baseline: History,
    supposed: History,
    hypothesis: Hypothesis,
    differences: Differences,
) -> None:
    """Iterate over both replays in parallel and compare line by line.

    A source may be in different chunks, so unmatched lines wait for their partner.
    """
    waiting: dict[LineKey, RatingMove] = {}
    wanted: dict[LineKey, RatingMove] = {}
    sections: dict[int, SectionDifference] = {}

    def differ(
        key: LineKey, before: RatingMove | None, after: RatingMove | None
    ) -> None:
        if before == after:
            return
        rank, source, _, _ = key
        if rank == Calculation.Rank.SECTION:
            section = sections.setdefault(source, SectionDifference(source))
            _count(section, before, after)
            if source in hypothesis.facts:
                differences.lines.append(_difference(key, before, after))

    for old, new in zip_longest(replay_chunks(baseline), replay_chunks(supposed)):
        for key, line in _lines(baseline, old):
            if key in wanted:
                differ(key, line, wanted.pop(key))
            else:
                waiting[key] = line
        for key, line in _lines(supposed, new):
            if key in waiting:
                differ(key, waiting.pop(key), line)
            else:
                wanted[key] = line
    for key, line in waiting.items():
        differ(key, line, None)
    for key, line in wanted.items():
        differ(key, None, line)
    changed = [one for one in sections.values() if one.players]
    changed.sort(key=lambda one: (-one.players, -one.largest, one.section))
    differences.sections = changed
    differences.lines.sort(key=lambda line: (line.source, line.system, line.player))


def _lines(
    history: History, chunk: Chunk | None
) -> Iterator[tuple[LineKey, RatingMove]]:
    if chunk is None:
        return
    rows, ids = chunk.results.rows, history.player_index.ids
    for source, system, first, end in chunk.calculations:
        for row in range(first, end):
            pre = rows.pre_rating[row]
            key = (int(source.rank), source.pk, system, ids[rows.player[row]])
            yield key, (None if pre != pre else pre, rows.post_rating[row])


def _count(
    section: SectionDifference, before: RatingMove | None, after: RatingMove | None
) -> None:
    if before is None or after is None:
        section.players += 1
        return
    if official(before[1]) != official(after[1]):
        section.players += 1
        section.largest = max(section.largest, abs(after[1] - before[1]))


def _difference(
    key: LineKey, before: RatingMove | None, after: RatingMove | None
) -> LineDifference:
    rank, source, system, player = key
    return LineDifference(
        rank,
        source,
        SYSTEM_NAMES[system],
        player,
        *(before or (None, None)),
        *(after or (None, None)),
    )


def _compare_standings(
    baseline: History, supposed: History, differences: Differences
) -> None:
    standings = [
        (history.player_index.number, replayed_ratings(history))
        for history in (baseline, supposed)
    ]
    players = sorted({*baseline.player_index.ids, *supposed.player_index.ids})
    for player in players:
        for system, name in enumerate(SYSTEM_NAMES):
            before, after = (
                found[number[player] * SYSTEMS + system] if player in number else None
                for number, found in standings
            )
            if before == after:
                continue
            move = RatingDifference(
                player * SYSTEMS + system, player, name, before, after
            )
            differences.effects.count(move)
            if _whole(move) != 0:
                differences.ratings.append(move)
    differences.ratings.sort(key=lambda move: (-_whole(move), move.player, move.system))


def _whole(move: RatingDifference) -> int:
    """Return by how many whole points a rating moves; 9999 if it begins or ends."""
    if move.before is None or move.after is None:
        return 9999
    return abs(official(move.after.rating) - official(move.before.rating))


def is_quick(from_day: date) -> bool:
    """Return whether the replay from a day on is short enough for a request."""
    window = Calculation.objects.filter(
        is_current=True, order_date__gte=replay_start(from_day)
    )
    return window[: SMALL_WINDOW + 1].count() <= SMALL_WINDOW


def what_if_of(reason: str) -> Run | None:
    """Return the newest what-if of this reason, which names what is supposed."""
    runs = Run.objects.filter(kind=Run.Kind.WHAT_IF, reason=reason)
    return runs.order_by("-pk").first()


def job_of(run: Run) -> Job | None:
    return Job.objects.filter(kind=WHAT_IF, key=str(run.pk)).last()


def is_outdated(run: Run) -> bool:
    """Return whether ratings or records changed after a finished *run* was started."""
    if run.status != Run.Status.READY:
        return False
    since = run.created_at
    return (
        Calculation.objects.latest("pk").created_at > since
        or RerateMark.objects.filter(left_at__gt=since).exists()
        or Run.objects.filter(
            Q(published_at__gt=since) | Q(undone_at__gt=since)
        ).exists()
    )


def start_once(*, hypothesis: Hypothesis, actor: User | None, reason: str) -> Run:
    """Queue a what-if, unless one of this reason is being made or is up to date."""
    existing = what_if_of(reason)
    is_usable = existing and existing.status != Run.Status.FAILED
    if existing and is_usable and not is_outdated(existing):
        job = job_of(existing)
        if job is None or job.state != Job.State.FAILED:
            return existing
    return start_what_if(hypothesis=hypothesis, actor=actor, reason=reason)


def start_what_if(*, hypothesis: Hypothesis, actor: User | None, reason: str) -> Run:
    """Queue a what-if and return its run; the result is saved in its summary."""
    run = Run(
        kind=Run.Kind.WHAT_IF,
        status=Run.Status.QUEUED,
        from_day=hypothesis.from_day,
        edition=hypothesis.edition or settings.RATING_EDITION,
        reason=clean_reason(reason),
        requested_by=actor,
        hypothesis=to_json(hypothesis),
    )
    with transaction.atomic():
        run.save()
        record("what_if.started", subject=run, actor=actor, reason=reason)
        enqueue(WHAT_IF, key=str(run.pk), args={"run_id": run.pk}, actor=actor)
    return run


def run_what_if(*, run_id: int, job: ClaimedJob) -> None:
    """Run a queued what-if and save its result."""
    run = Run.objects.get(pk=run_id, kind=Run.Kind.WHAT_IF)
    try:
        with job.keep_alive():
            summary = simulate(from_json(run.hypothesis)).as_json()
    except NotReplayable as fault:
        Run.objects.filter(pk=run_id).update(
            status=Run.Status.FAILED, message=str(fault)
        )
        raise JobFailed(str(fault)) from fault
    with job.commit("Answered."):
        run.summary, run.status = summary, Run.Status.READY
        run.ready_at = timezone.now()
        run.save()
