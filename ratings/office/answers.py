"""Who rates: the answers of ``ratings`` to what ``players`` and ``events`` ask.

Bound in ``ratings.apps``. Each answer is one call, so that a search for its name finds
who does the work.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import date, datetime
from typing import Any

from events.books.rater import RatedLine, RatingNote, SectionEffect
from events.checks.tasks import recount_soon
from events.importers.findings import Finding
from events.importers.records import ReportedEvent
from events.models import Section, SectionVersion
from players.models import Player
from ratings.corrections.queries import notes_on
from ratings.effects.office import effects_on_members
from ratings.ledger.queries.merging import (
    ratings_to_compare,
    started_since,
    why_not_one_person,
)
from ratings.ledger.queries.published import current_published
from ratings.ledger.queries.reported import lines_of
from ratings.ledger.services.marks import leave_mark, take_back_merge
from ratings.ledger.tasks import enqueue_rating
from ratings.models import RerateMark
from ratings.report_checks.queries.controls import check_matches, check_time_controls
from ratings.report_checks.queries.effects import effects_of, next_rerate_from
from ratings.report_checks.queries.identity import (
    check_ratings_of_players,
    ratings_now,
)
from ratings.report_checks.queries.openings import check_openings
from ratings.report_checks.queries.plausibility import check_hours
from ratings.report_checks.queries.schedules import check_schedules, slowest
from ratings_site.common.acts.effects import Effect
from ratings_site.common.database.locks import hold_ratings
from ratings_site.common.models import User


class OfficeCareers:
    """What the ledger knows of members' careers (``players.members.careers``)."""

    def history_changed(self, **change: Any) -> None:
        leave_mark(**change)
        if change["kind"] == RerateMark.Kind.MERGE:
            recount_soon()

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
        hold_ratings()
        recount_soon()
        if take_back_merge(kept=kept, merged=merged, merged_at=merged_at):
            return
        for player in (kept, merged):
            leave_mark(
                kind=RerateMark.Kind.MERGE,
                player=player,
                day=None,
                note=note,
                actor=actor,
            )

    def effects_of(
        self, do: Callable[[], object], members: Collection[Player]
    ) -> Sequence[Effect]:
        return effects_on_members(do, members)

    def merge_refusals(
        self, pairs: Sequence[tuple[Player, Player]]
    ) -> Sequence[Sequence[str]]:
        return why_not_one_person(pairs)

    def merge_facts(self, player: Player) -> list[tuple[str, str]]:
        return ratings_to_compare(player)

    def ratings_shown(
        self, player_ids: Collection[int]
    ) -> Mapping[int, Mapping[str, float]]:
        return current_published(player_ids)

    def affected_by_rating(self, player_ids: Collection[int], day: date) -> set[int]:
        hold_ratings()
        return started_since(player_ids, day)


class OfficeRater:
    """What the ledger and its rules say of events (``events.books.rater``)."""

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
    ) -> Sequence[Sequence[SectionEffect]]:
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
        return lines_of(sections)

    def rating_notes(
        self, versions: Sequence[SectionVersion]
    ) -> Mapping[int, RatingNote]:
        return notes_on(versions)
