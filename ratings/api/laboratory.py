"""The rating laboratory: published experiments and monthly comparisons."""

from collections.abc import Sequence
from datetime import date, datetime
from typing import Annotated, Any, Final

from django.contrib.auth.models import AnonymousUser
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from ninja import Path, Router, Schema
from pydantic import BeforeValidator, Field

from ratings.api.responses import (
    Cursor,
    Limit,
    PageOf,
    SortKey,
    cursor_page,
    page,
    responses,
)
from ratings.models import Experiment
from ratings.research.experiments.queries.experiments import (
    experiments_for,
    variants_of,
)
from ratings.research.experiments.services.exports import ExperimentData
from ratings.research.monthly.queries import (
    MonthlyComparison,
    monthly_comparisons,
    monthly_experiments,
)
from ratings_site.common.web.files import available_formats

router = Router(tags=["Laboratory"])

NEWEST_MONTH_FIRST: Final = (SortKey("standing_month", date, descending=True),)
NEWEST_FIRST: Final = (SortKey("pk", int, descending=True),)
OTHER_MEASURES: Final = ("player_month_rmse", "against_reference", "improvement")
Month = Annotated[str, Path(description="Such as 2026-12.", examples=["2026-12"])]
Number = Annotated[int, Path(ge=1, le=2**31 - 1, examples=[12])]


class Estimated(Schema):
    """A value with its 95% confidence interval."""

    value: float | None = Field(examples=[76.9])
    low: float | None = Field(examples=[76.1])
    high: float | None = Field(examples=[77.7])


def _estimated(estimate: Sequence[float | None] | None) -> dict[str, Any] | None:
    if estimate is None:
        return None
    value, low, high, *_rest = estimate
    return {"value": value, "low": low, "high": high}


# The standing comparison


# Of a stored estimate: a list that begins with these.
StoredEstimate = Annotated[Estimated, BeforeValidator(_estimated)]
OptionalEstimate = Annotated[Estimated | None, BeforeValidator(_estimated)]


class ComparedSystem(Schema):
    """A rating system in a monthly comparison."""

    place: int | None = Field(
        description="Null for a benchmark that is not a candidate."
    )
    system: str = Field(alias="key", examples=["glicko2"])
    label: str = Field(examples=["Glicko-2"])
    predicted: int = Field(examples=[912000])
    scaled_deviance: StoredEstimate = Field(alias="deviance")
    against_reference: OptionalEstimate = Field(
        alias="against",
        description="Difference from our rules; below 0 is better. Null for our rules.",
    )


class ComparedMonth(Schema):
    """Results of a monthly comparison, best system first."""

    month: str = Field(examples=["2026-12"])
    published_at: datetime
    games: int = Field(description="Games predicted by all systems.", examples=[905121])
    events: int = Field(examples=[21034])
    systems: list[ComparedSystem]
    experiment: int = Field(
        alias="experiment_id", description="URL of the experiment.", examples=[12]
    )
    page: str = Field(examples=["/laboratory/standing/2026-12/"])

    @staticmethod
    def resolve_month(shown: MonthlyComparison) -> str:
        return f"{shown.month:%Y-%m}"

    @staticmethod
    def resolve_page(shown: MonthlyComparison) -> str:
        return reverse("ratings:standing_of_month", args=[shown.month])


@router.get(
    "/standing",
    response=responses(PageOf[ComparedMonth], 400, 422),
    summary="List monthly comparisons",
)
def standing(
    request: HttpRequest,
    response: HttpResponse,
    limit: Limit = 12,
    cursor: Cursor = "",
) -> dict[str, Any]:
    """List monthly comparisons, newest first."""
    part = cursor_page(
        monthly_experiments().only("pk", "standing_month"),
        NEWEST_MONTH_FIRST,
        cursor,
        limit,
    )
    shown = monthly_experiments().filter(pk__in=[one.pk for one in part.rows])
    months = {one.experiment_id: one for one in monthly_comparisons(shown)}
    return page(request, response, part, lambda row: months[row.pk])


@router.get(
    "/standing/{month}",
    response=responses(ComparedMonth, 400, 404, 422),
    summary="Get a monthly comparison",
)
def standing_of_month(request: HttpRequest, month: Month) -> MonthlyComparison:
    """Return the results of a monthly comparison."""
    try:
        day = date.fromisoformat(f"{month}-01")
    except ValueError:
        day = None
    found = monthly_comparisons(monthly_experiments().filter(standing_month=day))
    if day is None or not found:
        raise Http404("There is no comparison for this month.")
    return found[0]


# Experiments


class ExperimentFacts(Schema):
    """A published experiment."""

    number: int = Field(alias="pk", examples=[12])
    title: str = Field(
        alias="public_title", examples=["Would B = 10 have predicted better?"]
    )
    reason: str = Field(alias="public_reason")
    kind: str = Field(examples=["comparison"])
    published_at: datetime
    games: int = Field(alias="history.games", examples=[1203441])
    players: int = Field(alias="history.players", examples=[61202])
    page: str = Field(
        alias="get_absolute_url", examples=["/laboratory/experiments/12/"]
    )


class MeasuredVariant(Schema):
    """Results of one variant in an experiment."""

    number: int = Field(examples=[1])
    system: str = Field(examples=["glicko2"])
    label: str = Field(examples=["Glicko-2"])
    parameters: list[list[Any]] = Field(
        description="Parameters that differ from the defaults, by name and value.",
        examples=[[["k", 24.0]]],
    )
    predicted: int = Field(examples=[912000])
    measures: dict[str, OptionalEstimate]


class ExperimentResults(ExperimentFacts):
    """A published experiment with its results, best variant first."""

    reference: int = Field(
        alias="results.reference", description="The baseline variant."
    )
    compared_games: int = Field(alias="results.games", examples=[905121])
    variants: list[MeasuredVariant]
    files: list[str] = Field(
        description="Public games, predictions, and ratings.",
        examples=[["/laboratory/experiments/12/data/games.csv.gz"]],
    )

    @staticmethod
    def resolve_variants(found: Experiment) -> list[dict[str, Any]]:
        stored = {one.number: one for one in variants_of(found)}
        return [
            {
                "number": one["number"],
                "system": stored[one["number"]].system,
                "label": stored[one["number"]].label,
                "parameters": stored[one["number"]].parameters,
                "predicted": one["predicted"],
                "measures": {
                    **one["measures"],
                    **{key: one[key] for key in OTHER_MEASURES},
                },
            }
            for one in found.results["variants"]
        ]

    @staticmethod
    def resolve_files(found: Experiment) -> list[str]:
        return [
            reverse("ratings:experiment_data_file", args=[found.pk, name, kind])
            for name in ExperimentData(found, for_committee=False).names()
            for kind in available_formats()
        ]


@router.get(
    "/experiments",
    response=responses(PageOf[ExperimentFacts], 400, 422),
    summary="List published experiments",
)
def experiments(
    request: HttpRequest,
    response: HttpResponse,
    limit: Limit = 50,
    cursor: Cursor = "",
) -> dict[str, Any]:
    """List published experiments, newest first."""
    part = cursor_page(experiments_for(AnonymousUser()), NEWEST_FIRST, cursor, limit)
    return page(request, response, part)


@router.get(
    "/experiments/{number}",
    response=responses(ExperimentResults, 400, 404, 422),
    summary="Get an experiment",
)
def experiment(request: HttpRequest, number: Number) -> Experiment:
    """Return the results of a published experiment and links to its data."""
    found = experiments_for(AnonymousUser()).filter(pk=number).first()
    if found is None:
        raise Http404("There is no published experiment with this number.")
    return found
