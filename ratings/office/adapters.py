"""Adapters: ``ratings`` implements the protocols of ``players`` and ``events``.

Bound in ``ratings.apps``. Each answer is a function that does the work.
"""

from collections.abc import Collection, Iterator, Mapping
from datetime import date, datetime
from typing import Any

from events.checks.tasks import enqueue_recount
from events.formats.findings import Finding
from events.formats.report import ReportedEvent
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
from ratings.previews.reports.queries.effects import effects_of
from ratings.previews.reports.queries.identity import (
    check_ratings_of_players,
    ratings_now,
)
from ratings.previews.reports.queries.openings import check_openings
from ratings.previews.reports.queries.plausibility import check_hours
from ratings.previews.reports.queries.schedules import (
    check_schedules,
    slowest,
    systems_of_control,
)
from ratings.previews.reports.queries.time_controls import (
    check_matches,
    check_time_controls,
)
from ratings.rerates.services.start import earliest_pending_day
from ratings_site.common.db.locks import lock_ratings
from ratings_site.common.models import User


class LedgerRatingHistory:
    """Implements ``players.members.rating_history`` with the ledger."""

    def history_changed(self, **change: Any) -> None:
        add_pending_rerate(**change)
        if change["kind"] == RerateMark.Kind.MERGE:
            enqueue_recount()

    next_rerate_from = staticmethod(earliest_pending_day)
    effects_of = staticmethod(preview_members)
    merge_refusals = staticmethod(merge_denial_reasons)
    merge_facts = staticmethod(ratings_to_compare)

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

    def public_ratings(
        self, player_ids: Collection[int]
    ) -> Mapping[int, Mapping[str, float]]:
        return current_published(player_ids)  # type: ignore[return-value]

    def affected_by_rating(self, player_ids: Collection[int], day: date) -> set[int]:
        lock_ratings()
        return started_since(player_ids, day)


class LedgerSectionRater:
    """Implements ``events.records.section_rater`` with the ledger and the rules."""

    section_ready = staticmethod(enqueue_rating)
    effects_of = staticmethod(effects_of)
    next_rerate_from = staticmethod(earliest_pending_day)
    deciding_control = staticmethod(slowest)
    systems_of_control = staticmethod(systems_of_control)
    current_ratings = staticmethod(ratings_now)
    rated_lines = staticmethod(report_lines)
    rating_notes = staticmethod(notes_on)

    def check_report(self, reported: ReportedEvent) -> Iterator[Finding]:
        yield from check_time_controls(reported)
        yield from check_matches(reported)
        yield from check_ratings_of_players(reported)
        yield from check_openings(reported)
        yield from check_hours(reported)
        yield from check_schedules(reported)
