"""The rating laboratory: published experiments, and the standing comparison."""

from collections.abc import Sequence
from datetime import date, datetime
from typing import Annotated, Any, Final

from django.contrib.auth.models import AnonymousUser
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from ninja import Path, Router, Schema
from pydantic import Field

from ratings.api.answers import (
    Cursor,
    Key,
    Limit,
    PageOf,
    answers,
    page,
    part_of,
)
from ratings.experiments.queries.experiments import experiments_for, variants_of
from ratings.experiments.services.exports import ExperimentData
from ratings.models import Experiment
from ratings.standing.queries import (
    Ranked,
    StandingMonth,
    standing_experiments,
    standing_months,
)
from ratings_site.common.web.files import kinds_of_files

router = Router(tags=["Laboratory"])

NEWEST_MONTH_FIRST: Final = (Key("standing_month", date, descending=True),)
NEWEST_FIRST: Final = (Key("pk", int, descending=True),)
OTHER_MEASURES: Final = ("player_month_rmse", "against_reference", "improvement")
Month = Annotated[str, Path(description="Such as 2026-12.", examples=["2026-12"])]
Number = Annotated[int, Path(ge=1, le=2**31 - 1, examples=[12])]


class Estimated(Schema):
    """A value, with the range that holds the true one in 95 of 100 such cases."""

    value: float | None = Field(examples=[76.9])
    low: float | None = Field(examples=[76.1])
    high: float | None = Field(examples=[77.7])


def _estimated(estimate: Sequence[float | None] | None) -> dict[str, Any] | None:
    if estimate is None:
        return None
    value, low, high, *_rest = estimate
    return {"value": value, "low": low, "high": high}


# The standing comparison


class ComparedSystem(Schema):
    """A system in the comparison of a month."""

    place: int | None = Field(description="Null for a bound that is no candidate.")
    system: str = Field(examples=["glicko2"])
    label: str = Field(examples=["Glicko-2"])
    predicted: int = Field(examples=[912000])
    scaled_deviance: Estimated
    against_reference: Estimated | None = Field(
        description="Less that of our rules, below 0 where this one is better; null "
        "for our rules."
    )


class ComparedMonth(Schema):
    """What a month's standing comparison has found, the best system first."""

    month: str = Field(examples=["2026-12"])
    published_at: datetime
    games: int = Field(description="Games that all systems predict.", examples=[905121])
    events: int = Field(examples=[21034])
    systems: list[ComparedSystem]
    experiment: int = Field(description="The experiment behind it.", examples=[12])
    page: str = Field(examples=["/laboratory/standing/2026-12/"])


@router.get(
    "/standing",
    response=answers(PageOf[ComparedMonth], 400, 422),
    summary="Which system predicts best, each month",
)
def standing(
    request: HttpRequest,
    response: HttpResponse,
    limit: Limit = 12,
    cursor: Cursor = "",
) -> dict:
    """List the standing comparisons, the newest month first."""
    part = part_of(
        standing_experiments().only("pk", "standing_month"),
        NEWEST_MONTH_FIRST,
        cursor,
        limit,
    )
    shown = standing_experiments().filter(pk__in=[one.pk for one in part.rows])
    months = {one.experiment_id: one for one in standing_months(shown)}
    return page(request, response, part, lambda row: _month(months[row.pk]))


@router.get(
    "/standing/{month}",
    response=answers(ComparedMonth, 400, 404, 422),
    summary="The standing comparison of a month",
)
def standing_of_month(request: HttpRequest, month: Month) -> dict:
    """Return what the standing comparison of a month has found."""
    try:
        day = date.fromisoformat(f"{month}-01")
    except ValueError:
        day = None
    found = standing_months(standing_experiments().filter(standing_month=day))
    if day is None or not found:
        raise Http404("There is no standing comparison of this month.")
    return _month(found[0])


def _month(shown: StandingMonth) -> dict[str, Any]:
    return {
        "month": f"{shown.month:%Y-%m}",
        "published_at": shown.published_at,
        "games": shown.games,
        "events": shown.events,
        "systems": [_system(one) for one in shown.systems],
        "experiment": shown.experiment_id,
        "page": reverse("ratings:standing_of_month", args=[shown.month]),
    }


def _system(one: Ranked) -> dict[str, Any]:
    return {
        "place": one.place,
        "system": one.key,
        "label": one.label,
        "predicted": one.predicted,
        "scaled_deviance": _estimated(one.deviance),
        "against_reference": _estimated(one.against),
    }


# Experiments


class ExperimentFacts(Schema):
    """A published experiment."""

    number: int = Field(examples=[12])
    title: str = Field(examples=["Would B = 10 have predicted better?"])
    reason: str
    kind: str = Field(examples=["comparison"])
    published_at: datetime
    games: int = Field(examples=[1203441])
    players: int = Field(examples=[61202])
    page: str = Field(examples=["/laboratory/experiments/12/"])


class MeasuredVariant(Schema):
    """What an experiment says of one of its variants."""

    number: int = Field(examples=[1])
    system: str = Field(examples=["glicko2"])
    label: str = Field(examples=["Glicko-2"])
    parameters: list[list[Any]] = Field(
        description="What differs from usual: name and value; of our rules more.",
        examples=[[["k", 24.0]]],
    )
    predicted: int = Field(examples=[912000])
    measures: dict[str, Estimated | None]


class ExperimentResults(ExperimentFacts):
    """A published experiment with its table, the best variant first."""

    reference: int = Field(description="The variant that others are measured against.")
    compared_games: int = Field(examples=[905121])
    variants: list[MeasuredVariant]
    files: list[str] = Field(
        description="Games, predictions and ratings, as far as they are for everybody.",
        examples=[["/laboratory/experiments/12/data/games.csv.gz"]],
    )


@router.get(
    "/experiments",
    response=answers(PageOf[ExperimentFacts], 400, 422),
    summary="Published experiments",
)
def experiments(
    request: HttpRequest,
    response: HttpResponse,
    limit: Limit = 50,
    cursor: Cursor = "",
) -> dict:
    """List the published experiments of the laboratory, the newest first."""
    part = part_of(experiments_for(AnonymousUser()), NEWEST_FIRST, cursor, limit)
    return page(request, response, part, _facts)


@router.get(
    "/experiments/{number}",
    response=answers(ExperimentResults, 400, 404, 422),
    summary="The results of one experiment",
)
def experiment(request: HttpRequest, number: Number) -> dict:
    """Return the table of a published experiment, and where its data are."""
    found = experiments_for(AnonymousUser()).filter(pk=number).first()
    if found is None:
        raise Http404("There is no published experiment of this number.")
    results = found.results
    variants = {one.number: one for one in variants_of(found)}
    names = ExperimentData(found, for_committee=False).names()
    return {
        **_facts(found),
        "reference": results["reference"],
        "compared_games": results["games"],
        "variants": [
            {
                "number": one["number"],
                "system": variants[one["number"]].system,
                "label": variants[one["number"]].label,
                "parameters": variants[one["number"]].parameters,
                "predicted": one["predicted"],
                "measures": {
                    **{k: _estimated(v) for k, v in one["measures"].items()},
                    **{key: _estimated(one[key]) for key in OTHER_MEASURES},
                },
            }
            for one in results["variants"]
        ],
        "files": [
            reverse("ratings:experiment_data_file", args=[found.pk, name, kind])
            for name in names
            for kind in kinds_of_files()
        ],
    }


def _facts(one: Experiment) -> dict[str, Any]:
    return {
        "number": one.pk,
        "title": one.public_title,
        "reason": one.public_reason,
        "kind": one.kind,
        "published_at": one.published_at,
        "games": one.history.games,
        "players": one.history.players,
        "page": one.get_absolute_url(),
    }
