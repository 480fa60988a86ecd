"""API index, rating systems, and rating classes."""

from typing import Annotated, Any

from django.http import HttpRequest
from django.utils import timezone
from ninja import Query, Router, Schema
from pydantic import Field

from ratings.api.report_schema import JSON_SCHEMA, SCHEMA_NAME
from ratings.api.responses import fields_of, responses
from ratings.engine.rules import rules_in_force
from ratings.engine.systems import System
from ratings.lists.queries.classes import counts
from ratings.lists.queries.histograms import RatingsCounted

router = Router(tags=["General"])


class Resources(Schema):
    """Entry points."""

    status: str = Field(examples=["ok"])
    version: str = Field(examples=["1.0"])
    documentation: str = Field(examples=["/api/v1/docs/"])
    description: str = Field(examples=["/api/v1/openapi.json"])
    report_schema: str = Field(examples=["/api/v1/schemas/rating-report-1.json"])
    resources: dict[str, str] = Field(examples=[{"members": "/api/v1/members"}])


@router.get(
    "/", response=responses(Resources), summary="API index", url_name="api-start"
)
def start(request: HttpRequest) -> dict[str, Any]:
    """Check that the API is up, and list its entry points."""
    names = ("members", "events", "lists", "rankings", "systems", "classes")
    root = request.path
    return {
        "status": "ok",
        "version": "1.0",
        "documentation": f"{root}docs/",
        "description": f"{root}openapi.json",
        "report_schema": f"{root}schemas/{SCHEMA_NAME}",
        "resources": {name: f"{root}{name}" for name in names},
    }


@router.get(
    f"/schemas/{SCHEMA_NAME}",
    response=responses(dict[str, Any]),
    summary="Get the JSON Schema of a rating report",
)
def report_schema(request: HttpRequest) -> dict[str, Any]:
    """Return the JSON Schema (2020-12) of a report. Its URL is permanent."""
    return {"$id": request.path, **JSON_SCHEMA}


class SystemLine(Schema):
    """One of the six rating systems."""

    system: System
    name: str = Field(examples=["Regular"])
    is_online: bool
    established_after: int = Field(
        description="A rating with more games than this is established.", examples=[25]
    )


class Systems(Schema):
    items: list[SystemLine]


@router.get("/systems", response=responses(Systems), summary="List rating systems")
def systems(request: HttpRequest) -> dict[str, Any]:
    """List the six rating systems."""
    established_after = rules_in_force(timezone.localdate()).established_after
    return {
        "items": [
            {
                "system": system,
                "name": system.label,
                "is_online": system.is_online,
                "established_after": established_after,
            }
            for system in System
        ]
    }


class ClassLine(Schema):
    """A rating class and its number of members."""

    name: str = Field(examples=["Class A"])
    slug: str = Field(examples=["class-a"])
    lowest: int = Field(examples=[1800])
    highest: int | None = Field(examples=[1999])
    members: int = Field(examples=[3120])
    page: str = Field(examples=["/classes/OTBR/class-a/"])


class Classes(Schema):
    system: System
    items: list[ClassLine]


@router.get("/classes", response=responses(Classes, 422), summary="List rating classes")
def classes(
    request: HttpRequest,
    system: System = System.OTBR,
    standing: Annotated[
        RatingsCounted, Query(description="Which ratings to count. All if blank.")
    ] = RatingsCounted.ALL,
) -> dict[str, Any]:
    """Count the members of each rating class, highest first."""
    return {
        "system": system,
        "items": [
            fields_of(one) | {"page": f"/classes/{system}/{one.slug}/"}
            for one in counts(system, standing).classes
        ],
    }
