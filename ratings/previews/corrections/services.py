"""The rating preview of a correction: a dry-run rerate with the corrected section."""

from events.corrections.services.reviews import Review
from events.formats.played_games import HALF_POINTS
from events.models import CorrectionRequest
from events.models.documents import SectionDocument
from players.models import Player
from ratings.engine.inputs import Game, Kind
from ratings.engine.time_controls import parse_time_control
from ratings.ledger.services.rating_inputs import SectionFacts
from ratings.models import Run
from ratings.rerates.services.sources import Hypothesis
from ratings.rerates.services.what_if import (
    Differences,
    is_quick,
    simulate,
    start_once,
    what_if_of,
)
from ratings_site.common.models import User


def facts_of_document(document: SectionDocument) -> SectionFacts:
    """Return the engine's input for a corrected section (one query).

    As in the ledger, a merged duplicate counts as the member it was merged into.
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
            Game(
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
    """Return the hypothesis that the section is corrected and nothing else changes."""
    return Hypothesis(
        from_day=min(review.before.ends, review.after.ends),
        facts={request.section_id: facts_of_document(review.after)},
    )


def is_short(review: Review) -> bool:
    """Return whether the replay is short enough for a request."""
    return is_quick(min(review.before.ends, review.after.ends))


def effect_of(request: CorrectionRequest, review: Review) -> Differences:
    """Replay with the correction in this request, without writing."""
    return simulate(hypothesis_of(request, review))


def start_dry_run(*, request: CorrectionRequest, review: Review, actor: User) -> Run:
    """Start a job that replays with the correction, unless there is one already."""
    hypothesis = hypothesis_of(request, review)
    return start_once(hypothesis=hypothesis, actor=actor, reason=_reason(request))


def dry_run_of(request: CorrectionRequest) -> Run | None:
    """Return the newest dry run of the request in its current form."""
    return what_if_of(_reason(request))


def _reason(request: CorrectionRequest) -> str:
    """Return a name of the change and its version: equal names have equal effects."""
    return (
        f"Correction {request.pk} of version {request.section.version}, change "
        f"{request.change_digest[:12]}"
    )
