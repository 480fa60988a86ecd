"""What a correction would do to ratings: a rerate with the corrected section."""

from events.corrections.services.reviews import Review
from events.importers.played import HALF_POINTS
from events.models import CorrectionRequest
from events.models.documents import SectionDocument
from players.models import Player
from ratings.engine.cards import Kind
from ratings.engine.time_controls import parse_time_control
from ratings.ledger.services.cards import PersonGame, SectionFacts
from ratings.models import Calculation, Run
from ratings.rerates.services.arrivals import earliest_mark
from ratings.rerates.services.what_if import (
    Differences,
    Hypothesis,
    simulate,
    start_what_if,
)
from ratings_site.common.models import User

# So many calculations are replayed while one waits for the page; more go into a job.
SMALL_WINDOW = 200


def facts_of_document(document: SectionDocument) -> SectionFacts:
    """Return what the engine needs to know of a corrected section (one query).

    As in the books, a merged duplicate plays for the member it was merged into.
    """
    owners = _owners([entry.player for entry in document.entries])
    person_of = {entry.number: owners[entry.player] for entry in document.entries}
    return SectionFacts(
        kind=Kind(document.kind),
        time_control=parse_time_control(document.time_control),
        is_online=document.is_online,
        starts=document.starts,
        ends=document.ends,
        persons=tuple(dict.fromkeys(person_of.values())),
        games=tuple(
            PersonGame(
                person_of[game.first],
                person_of[game.second],
                HALF_POINTS[game.first_outcome],
                HALF_POINTS[game.second_outcome],
            )
            for game in document.games
        ),
    )


def _owners(players: list[int]) -> dict[int, int]:
    rows = Player.objects.filter(pk__in=players).values_list("pk", "merged_into_id")
    return {pk: merged_into or pk for pk, merged_into in rows}


def hypothesis_of(request: CorrectionRequest, review: Review) -> Hypothesis:
    """Suppose the section as corrected, and everything else as it stands."""
    return Hypothesis(
        from_day=min(review.before.ends, review.after.ends),
        facts={request.section_id: facts_of_document(review.after)},
    )


def is_quick(review: Review) -> bool:
    """Tell whether the replay is short enough to wait for."""
    days = [review.before.ends, review.after.ends, earliest_mark()]
    window = Calculation.objects.filter(
        is_current=True, order_date__gte=min(day for day in days if day is not None)
    )
    return window[: SMALL_WINDOW + 1].count() <= SMALL_WINDOW


def effect_of(request: CorrectionRequest, review: Review) -> Differences:
    """Replay with the correction, here and now; write nothing."""
    return simulate(hypothesis_of(request, review))


def start_dry_run(*, request: CorrectionRequest, review: Review, actor: User) -> Run:
    """Replay with the correction in a job; one that is there already is kept."""
    existing = dry_run_of(request)
    if existing is not None and existing.status != Run.Status.FAILED:
        return existing
    return start_what_if(
        hypothesis=hypothesis_of(request, review),
        actor=actor,
        reason=_reason(request),
    )


def dry_run_of(request: CorrectionRequest) -> Run | None:
    """Return the newest dry run of the request as it stands."""
    runs = Run.objects.filter(kind=Run.Kind.WHAT_IF, reason=_reason(request))
    return runs.order_by("-pk").first()


def _reason(request: CorrectionRequest) -> str:
    """Name the change and the version it would be made in: equal name, equal effect."""
    return (
        f"Correction {request.pk} of version {request.section.version}, change "
        f"{request.change_digest[:12]}"
    )
