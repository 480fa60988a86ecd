"""Adapters: ``ratings`` implements the protocols of ``players`` and ``events``.

Bound in ``ratings.apps``. Each method is one call to a function that does the work.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import date, datetime
from typing import Any

from events.checks.tasks import enqueue_recount
from events.formats.findings import Finding
from events.formats.report import ReportedEvent
from events.models import Section, SectionVersion
from events.records.section_rater import RatedLine, RatingNote, SectionImpact
from players.models import Player
from ratings.ledger.queries.merge_checks import (
    merge_denial_reasons,
    ratings_to_compare,
    started_since,
)
from ratings.ledger.queries.published_ratings import current_published
from ratings.ledger.queries.report_results import report_lines
from ratings.ledger.services.pending_rerates import (
    add_pending_rerate,
    remove_merge_pending_rerate,
)
from ratings.ledger.tasks import enqueue_rating
from ratings.models import RerateMark
from ratings.previews.corrections.queries import notes_on
from ratings.previews.effects.pages import preview_members
from ratings.previews.reports.queries.effects import effects_of, next_rerate_from
from ratings.previews.reports.queries.identity import (
    check_ratings_of_players,
    ratings_now,
)
from ratings.previews.reports.queries.openings import check_openings
from ratings.previews.reports.queries.plausibility import check_hours
from ratings.previews.reports.queries.schedules import check_schedules, slowest
from ratings.previews.reports.queries.time_controls import (
    check_matches,
    check_time_controls,
)
from ratings_site.common.approvals.preview import PreviewLine
from ratings_site.common.db.locks import lock_ratings
from ratings_site.common.models import User


class LedgerRatingHistory:
    """Implements ``players.members.rating_history`` with the ledger."""

    def history_changed(self, **change: Any) -> None:
        add_pending_rerate(**change)
        if change["kind"] == RerateMark.Kind.MERGE:
            enqueue_recount()

    def next_rerate_from(self) -> date | None:
        return next_rerate_from()

    def merge_undone(
        self,
        *,
        kept: Player,
        merged: Player,
        merged_at: datetime,
        note: str,
        actor: User | None,
    ) -> None:
        lock_ratings()
        enqueue_recount()
        if remove_merge_pending_rerate(kept=kept, merged=merged, merged_at=merged_at):
            return
        for player in (kept, merged):
            add_pending_rerate(
                kind=RerateMark.Kind.MERGE,
                player=player,
                day=None,
                note=note,
                actor=actor,
            )

    def effects_of(
        self, do: Callable[[], object], members: Collection[Player]
    ) -> Sequence[PreviewLine]:
        return preview_members(do, members)

    def merge_refusals(
        self, pairs: Sequence[tuple[Player, Player]]
    ) -> Sequence[Sequence[str]]:
        return merge_denial_reasons(pairs)

    def merge_facts(self, player: Player) -> list[tuple[str, str]]:
        return ratings_to_compare(player)

    def public_ratings(
        self, player_ids: Collection[int]
    ) -> Mapping[int, Mapping[str, float]]:
        return current_published(player_ids)  # type: ignore[return-value]

    def affected_by_rating(self, player_ids: Collection[int], day: date) -> set[int]:
        lock_ratings()
        return started_since(player_ids, day)


class LedgerSectionRater:
    """Implements ``events.records.section_rater`` with the ledger and the rules."""

    def section_ready(self, section: Section) -> None:
        enqueue_rating(section)

    def check_report(self, reported: ReportedEvent) -> Iterator[Finding]:
        yield from check_time_controls(reported)
        yield from check_matches(reported)
        yield from check_ratings_of_players(reported)
        yield from check_openings(reported)
        yield from check_hours(reported)
        yield from check_schedules(reported)

    def effects_of(
        self, reports: Sequence[ReportedEvent]
    ) -> Sequence[Sequence[SectionImpact]]:
        return effects_of(reports)

    def next_rerate_from(self) -> date | None:
        return next_rerate_from()

    def deciding_control(self, controls: Sequence[str]) -> str:
        return slowest(controls)

    def current_ratings(
        self, players: Sequence[int]
    ) -> Mapping[int, Mapping[str, float]]:
        return ratings_now(players)

    def rated_lines(
        self, sections: Sequence[Section]
    ) -> Mapping[int, Sequence[RatedLine]]:
        return report_lines(sections)

    def rating_notes(
        self, versions: Sequence[SectionVersion]
    ) -> Mapping[int, RatingNote]:
        return notes_on(versions)
