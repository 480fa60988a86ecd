"""Results abroad on their way into the ratings: checks, preview, and the batch."""

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils.translation import gettext as _

from events.foreign.queries import Double, doubles_of
from events.foreign.services.results import PERMISSION
from events.importers.sentences import say
from events.models import ForeignResult
from ratings.engine.foreign import rate_foreign_event
from ratings.engine.rules import NoRuleInForce, Rules
from ratings.engine.systems import System
from ratings.foreign.queries.eligibility import Verdict, verdicts
from ratings.foreign.queries.results import GameShown, converted_games
from ratings.ledger.queries.refusals import refusal
from ratings.ledger.services.foreign_facts import foreign_facts, regular_games_before
from ratings.ledger.services.lines import line_of, rules_of
from ratings.ledger.services.marks import leave_mark
from ratings.ledger.services.order import place_of_foreign
from ratings.ledger.services.rating import (
    NotEstablished,
    foreign_competitor,
    rate_foreign_result,
)
from ratings.ledger.services.states import LedgerStanding, PlayerState, load_states
from ratings.models import Calculation, RatingChange, RerateMark
from ratings_site.common.accounts.permissions import require
from ratings_site.common.audit.services import record
from ratings_site.common.database.locks import hold_ratings
from ratings_site.common.jobs.services import ClaimedJob, JobFailed, enqueue
from ratings_site.common.models import Job, User

RATE_FOREIGN = "ratings.rate_foreign"
# As many as a page shows; a batch larger than that nobody looks through.
LARGEST_BATCH = 50

Status = ForeignResult.Status


class NotEligible(Exception):
    """This result cannot be rated; *reasons* are the sentences that say why."""

    def __init__(self, reasons: Sequence[str]) -> None:
        super().__init__(" ".join(reasons))
        self.reasons = tuple(reasons)


# --- May it be rated? ---

# Accepted, and yet not rated: a rerate found the member not established at its place.
UNRATED = Q(status=Status.RATED) & ~Exists(
    Calculation.objects.filter(foreign=OuterRef("pk"), is_current=True)
)


def accepted_but_unrated() -> QuerySet[ForeignResult]:
    """Return the results that were accepted and are not rated, the newest first."""
    results = ForeignResult.objects.filter(UNRATED).select_related("event", "player")
    return results.order_by("-event__ends", "-pk")


@dataclass(frozen=True, slots=True)
class Check:
    """What speaks for and against rating a result."""

    verdict: Verdict
    doubles: tuple[Double, ...]
    counted: int
    not_counted: int
    is_double_accepted: bool
    is_unrated: bool

    @property
    def why_unrated(self) -> str:
        """Say why a result that was accepted is not rated; empty if it is."""
        if not self.is_unrated:
            return ""
        return self.verdict.not_established or _(
            "The next rerate rates this result at its place in the rating order."
        )

    @property
    def reasons(self) -> list[str]:
        """Return every sentence that stands in the way of rating."""
        against = list(self.verdict.against)
        if not self.counted:
            against.append(
                "No opponent has a FIDE rating, so no game counts. Opponents without "
                "one are ignored."
            )
        if self.doubles and not self.is_double_accepted:
            against += [one.sentence for one in self.doubles]
        return against


def checks(result_ids: Iterable[int]) -> dict[int, Check]:
    """Check results by their numbers; the queries do not grow with them."""
    results = list(
        ForeignResult.objects.filter(pk__in=list(result_ids))
        .annotate(is_unrated=UNRATED)
        .select_related("event", "player")
        .prefetch_related("games")
    )
    judged, doubles = verdicts(results), doubles_of(results)
    return {
        result.pk: _check(result, judged[result.pk], doubles[result.pk])
        for result in results
    }


def _check(result: ForeignResult, verdict: Verdict, doubles: list[Double]) -> Check:
    games = result.games.all()
    counted = [game for game in games if game.opponent_rating is not None]
    return Check(
        verdict=verdict,
        doubles=tuple(doubles),
        counted=len(counted),
        not_counted=len(games) - len(counted),
        is_double_accepted=bool(result.not_a_double_because),
        is_unrated=result.is_unrated,
    )


def make_ready(*, actor: User, result_id: int) -> ForeignResult:
    """Say that an entered result is to be rated. Raises NotEligible if it may not."""
    require(actor, PERMISSION)
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
                _("This result is {state}, and no longer being entered.").format(
                    state=state
                )
            ]
        )
    return result


# --- The preview ---


@dataclass(frozen=True, slots=True)
class Preview:
    """What rating a result would do now: an unsaved *line*, or a *problem* instead.

    *waits* says that it is accepted, and rated by the next rerate.
    """

    result: ForeignResult
    games: tuple[GameShown, ...]
    line: RatingChange | None
    problem: str = ""
    waits: bool = False


def ready_results(ids: Iterable[int] | None = None) -> list[ForeignResult]:
    """Return results that are ready, in the order in which they are rated."""
    ready = ForeignResult.objects.filter(status=Status.READY)
    if ids is not None:
        ready = ready.filter(pk__in=list(ids))
    results = ready.select_related("event", "player__merged_into")
    return sorted(results.prefetch_related("games"), key=place_of_foreign)


def previews(results: Sequence[ForeignResult]) -> list[Preview]:
    """Rate results in their order without writing, each from the one before.

    It takes seven queries for each different last day of an event, and one more.
    """
    states = _states_of(results)
    games = regular_games_before(results)
    standings: dict[int, LedgerStanding] = {}
    shown = []
    for result in results:
        player_id = result.player.canonical.pk
        state = states[result.event.ends][player_id]
        if player_id in standings:
            state.standings[System.OTBR] = standings[player_id]
        preview = _preview(result, state, games[result.pk] or 0)
        if preview.line is not None:
            standings[player_id] = _standing_after(preview.line, result.event.ends)
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
    rules = rules_of(result.event.starts)
    try:
        shown = converted_games(games, rules, is_youth=result.event.is_youth)
    except NoRuleInForce as missing:
        return Preview(result, (), None, refusal(missing))
    if games_before <= rules.established_after:
        return Preview(result, shown, None, say("No established Regular rating."))
    before = state.standings.get(System.OTBR)
    if before is None or before.games <= rules.established_after:
        sentence = say(
            "Established at this event, but not today: the next rerate rates it."
        )
        return Preview(result, shown, None, sentence, waits=True)
    return Preview(result, shown, _line(result, state, before, rules))


def _line(
    result: ForeignResult, state: PlayerState, before: LedgerStanding, rules: Rules
) -> RatingChange:
    facts = foreign_facts(list(result.games.all()))
    player_id = result.player.canonical.pk
    competitor = foreign_competitor(player_id, state, facts, rules)
    rated = rate_foreign_event(
        competitor,
        facts.converted(rules, is_youth=result.event.is_youth),
        rules,
        facts.meetings,
    )
    return line_of(rated, competitor, before, facts.tally, rules)


def _standing_after(line: RatingChange, day: date) -> LedgerStanding:
    return LedgerStanding(
        rating=line.post_rating,
        games=line.post_games,
        record=line.record,
        wins=line.wins,
        draws=line.draws,
        losses=line.losses,
        three_game_events=line.three_game_events,
        peak=line.peak,
        age_start=line.age_start,
        rated_on=day,
    )


# --- The batch ---


def rate_batch(*, actor: User, result_ids: Iterable[int]) -> Job:
    """Queue results that are ready to be rated, as one job."""
    require(actor, PERMISSION)
    wanted = sorted(set(result_ids))
    with transaction.atomic():
        ready = ForeignResult.objects.filter(pk__in=wanted, status=Status.READY)
        ids = sorted(ready.values_list("pk", flat=True))
        if not ids:
            raise NotEligible([_("None of these results is ready to be rated.")])
        name = hashlib.sha256(repr(ids).encode()).hexdigest()[:20]
        job = enqueue(RATE_FOREIGN, key=name, args={"result_ids": ids})
        for result in ready:
            record("foreign_result.queued", subject=result, actor=actor)
    return job


def rate_queued(job: ClaimedJob) -> None:
    """Rate the results of a batch, each in a transaction of its own.

    What is rated already is passed over, so the job may be begun again at any time.
    One that cannot be rated does not stop the others.
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
    """Rate a result, or only mark it, if what was rated before is still current.

    So it is with a result that was left out and taken in again before a rerate.
    """
    if not Calculation.objects.filter(foreign=result, is_current=True).exists():
        rate_foreign_result(result_id=result.pk)
        return
    result.status = Status.RATED
    result.save(update_fields=["status"])
    leave_mark(
        kind=RerateMark.Kind.FOREIGN,
        day=result.event.ends,
        player=result.player,
        note=f"The result of {result.player.name} in {result.event} counts again.",
    )


def rate_if_eligible(*, result_id: int) -> None:
    """Rate a result that is ready, if it still may be; else it is a draft again."""
    with transaction.atomic():
        hold_ratings()
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
