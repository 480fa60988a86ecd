"""Rate foreign results: checks, preview, and the batch."""

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils.translation import gettext as _

from events.foreign.queries import DuplicateGames, duplicate_games_of
from events.foreign.services.results import PERMISSION
from events.formats.translatable_text import translatable
from events.models import ForeignResult
from ratings.engine.rule_history import NoRuleInForce
from ratings.engine.systems import System
from ratings.foreign.queries import GameRow, Verdict, converted_games, verdicts
from ratings.ledger.queries.engine_errors import refusal
from ratings.ledger.services.foreign_facts import foreign_facts, regular_games_before
from ratings.ledger.services.ledger_lines import rules_for_day
from ratings.ledger.services.pending_rerates import add_pending_rerate
from ratings.ledger.services.player_states import (
    PlayerState,
    RatingState,
    load_states,
)
from ratings.ledger.services.rating import (
    NotEstablished,
    foreign_line,
    rate_foreign_result,
)
from ratings.ledger.services.rating_order import foreign_order_key
from ratings.models import Calculation, RatingChange, RerateMark
from ratings_site.common.accounts.permissions import require_permission
from ratings_site.common.approvals.kinds import Refusal
from ratings_site.common.audit.services import record
from ratings_site.common.db.locks import lock_ratings
from ratings_site.common.jobs.services import ClaimedJob, JobFailed, enqueue
from ratings_site.common.models import Job, User

RATE_FOREIGN = "ratings.rate_foreign"
# As many as a page shows, so that a person can review the whole batch.
LARGEST_BATCH = 50

Status = ForeignResult.Status


class NotEligible(Refusal):
    """This result cannot be rated; *reasons* are sentences."""

    def __init__(self, reasons: Sequence[str]) -> None:
        super().__init__(" ".join(reasons))
        self.reasons = tuple(reasons)


# --- Eligibility ---

# Accepted but not rated: a rerate found the member not established at its place.
UNRATED = Q(status=Status.RATED) & ~Exists(
    Calculation.objects.filter(foreign=OuterRef("pk"), is_current=True)
)


def accepted_but_unrated() -> QuerySet[ForeignResult]:
    """Return accepted results that are not rated, the newest first."""
    results = ForeignResult.objects.filter(UNRATED).select_related("event", "player")
    return results.order_by("-event__ends", "-pk")


@dataclass(frozen=True, slots=True)
class Check:
    """The reasons for and against rating a result, which has its games."""

    result: ForeignResult
    verdict: Verdict
    doubles: Sequence[DuplicateGames]
    is_unrated: bool

    @property
    def counted(self) -> int:
        return sum(game.opponent_rating is not None for game in self.result.games.all())

    @property
    def not_counted(self) -> int:
        return len(self.result.games.all()) - self.counted

    @property
    def is_double_accepted(self) -> bool:
        return bool(self.result.not_a_double_because)

    @property
    def unrated_reason(self) -> str:
        """Return why an accepted result is not rated; empty if it is."""
        if not self.is_unrated:
            return ""
        return self.verdict.not_established or _(
            "The next rerate will rate this result in rating order."
        )

    @property
    def reasons(self) -> list[str]:
        """Return every reason against rating, as sentences."""
        against = list(self.verdict.against)
        if not self.counted:
            against.append(
                _(
                    "No opponent has a FIDE rating, so no game counts. Opponents "
                    "without one are ignored."
                )
            )
        if self.doubles and not self.is_double_accepted:
            against += [one.sentence for one in self.doubles]
        return against


def checks(result_ids: Iterable[int]) -> dict[int, Check]:
    """Check results by primary key, in a fixed number of queries."""
    results = list(
        ForeignResult.objects.filter(pk__in=list(result_ids))
        .annotate(is_unrated=UNRATED)
        .select_related("event", "player")
        .prefetch_related("games")
    )
    judged, doubles = verdicts(results), duplicate_games_of(results)
    return {
        result.pk: Check(
            result, judged[result.pk], doubles[result.pk], result.is_unrated
        )
        for result in results
    }


def mark_ready(*, actor: User, result_id: int) -> ForeignResult:
    """Mark an entered result as ready to rate. Raises NotEligible if it may not be."""
    require_permission(actor, PERMISSION)
    with transaction.atomic():
        result = _open_result(result_id)
        if reasons := checks([result_id])[result_id].reasons:
            raise NotEligible(reasons)
        if result.status != Status.READY:
            result.status = Status.READY
            result.save(update_fields=["status"])
            record("foreign_result.ready", subject=result, actor=actor)
    return result


def _open_result(result_id: int) -> ForeignResult:
    result = ForeignResult.objects.select_for_update(of=("self",)).get(pk=result_id)
    if not result.is_open:
        state = result.get_status_display().lower()
        raise NotEligible(
            [
                _(
                    "This result can’t be changed because its status is “{state}”."
                ).format(state=state)
            ]
        )
    return result


# --- The preview ---


@dataclass(frozen=True, slots=True)
class Preview:
    """The effect of rating a result now: an unsaved *line*, or a *problem*.

    *waits* says that it is accepted, and rated by the next rerate.
    """

    result: ForeignResult
    games: tuple[GameRow, ...]
    line: RatingChange | None
    problem: str = ""
    waits: bool = False


def ready_results(ids: Iterable[int] | None = None) -> list[ForeignResult]:
    """Return results that are ready, in rating order."""
    ready = ForeignResult.objects.filter(status=Status.READY)
    if ids is not None:
        ready = ready.filter(pk__in=list(ids))
    results = ready.select_related("event", "player__merged_into")
    return sorted(results.prefetch_related("games"), key=foreign_order_key)


def previews(results: Sequence[ForeignResult]) -> list[Preview]:
    """Rate results in order without writing, each from the one before.

    Takes seven queries for each different last day of an event, and one more.
    """
    states = _states_of(results)
    games = regular_games_before(results)
    standings: dict[int, RatingState] = {}
    shown = []
    for result in results:
        player_id = result.player.canonical.pk
        state = states[result.event.ends][player_id]
        if player_id in standings:
            state.standings[System.OTBR] = standings[player_id]
        preview = _preview(result, state, games[result.pk] or 0)
        if preview.line is not None:
            standings[player_id] = RatingState.after(preview.line, result.event.ends)
        shown.append(preview)
    return shown


def _states_of(
    results: Sequence[ForeignResult],
) -> dict[date, dict[int, PlayerState]]:
    people: defaultdict[date, set[int]] = defaultdict(set)
    for result in results:
        people[result.event.ends].add(result.player.canonical.pk)
    return {day: load_states(ids, day=day) for day, ids in people.items()}


def _preview(result: ForeignResult, state: PlayerState, games_before: int) -> Preview:
    games = list(result.games.all())
    rules = rules_for_day(result.event.starts)
    try:
        shown = converted_games(games, rules, is_youth=result.event.is_youth)
    except NoRuleInForce as missing:
        return Preview(result, (), None, refusal(missing))
    if games_before <= rules.established_after:
        return Preview(
            result, shown, None, translatable("No established Regular rating.")
        )
    before = state.standings.get(System.OTBR)
    if before is None or before.games <= rules.established_after:
        sentence = translatable(
            "Established at the time of the event, but not today. The next rerate "
            "will rate it."
        )
        return Preview(result, shown, None, sentence, waits=True)
    line = foreign_line(
        result.player.canonical.pk,
        state,
        foreign_facts(games),
        rules,
        is_youth=result.event.is_youth,
    )
    return Preview(result, shown, line)


# --- The batch ---


def rate_batch(*, actor: User, result_ids: Iterable[int]) -> Job:
    """Queue results that are ready to be rated, as one job."""
    require_permission(actor, PERMISSION)
    wanted = sorted(set(result_ids))
    with transaction.atomic():
        ready = ForeignResult.objects.filter(pk__in=wanted, status=Status.READY)
        ids = sorted(ready.values_list("pk", flat=True))
        if not ids:
            raise NotEligible([_("None of these results is ready to rate.")])
        name = hashlib.sha256(repr(ids).encode()).hexdigest()[:20]
        job = enqueue(RATE_FOREIGN, key=name, args={"result_ids": ids}, actor=actor)
        for result in ready:
            record("foreign_result.queued", subject=result, actor=actor)
    return job


def rate_queued(job: ClaimedJob) -> None:
    """Rate the results of a batch, each in a transaction of its own.

    Results that are rated already are skipped, so the job may be started again at any
    time. One that cannot be rated does not stop the others.
    """
    results = ready_results(job.args["result_ids"])
    refused = []
    for number, result in enumerate(results):
        job.beat(done=number, total=len(results), message=str(result))
        try:
            rate_if_eligible(result_id=result.pk)
        except (NotEligible, NotEstablished, NoRuleInForce) as refusal:
            refused.append(f"{result}: {refusal}")
    if refused:
        raise JobFailed("\n".join(refused))
    with job.commit(f"Rated {len(results)}."):
        pass


def _rate(result: ForeignResult) -> None:
    """Rate a result, or only mark it as rated if its earlier rating is still current.

    That happens to a result that was excluded and included again before a rerate.
    """
    if not Calculation.objects.filter(foreign=result, is_current=True).exists():
        rate_foreign_result(result_id=result.pk)
        return
    result.status = Status.RATED
    result.save(update_fields=["status"])
    add_pending_rerate(
        kind=RerateMark.Kind.FOREIGN,
        day=result.event.ends,
        player=result.player,
        note=f"The result of {result.player.name} in {result.event} counts again.",
    )


def rate_if_eligible(*, result_id: int) -> None:
    """Rate a ready result if it is still eligible; else make it a draft again."""
    with transaction.atomic():
        lock_ratings()
        result = ForeignResult.objects.select_for_update().get(pk=result_id)
        if result.status != Status.READY:
            return
        reasons = checks([result_id])[result_id].reasons
        if not reasons:
            _rate(result)
            return
        result.status = Status.DRAFT
        result.save(update_fields=["status"])
    raise NotEligible(reasons)
