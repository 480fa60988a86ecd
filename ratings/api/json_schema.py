"""The pieces of hand-written JSON schemas."""

from collections.abc import Sequence
from typing import Any


def described(kind: dict[str, Any], description: str) -> dict[str, Any]:
    return {**kind, "description": description}


def array_of(items: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": items}


def object_of(
    properties: dict[str, Any], *, required: Sequence[str] = (), **more: Any
) -> dict[str, Any]:
    needed = {"required": list(required)} if required else {}
    return {"type": "object", **needed, **more, "properties": properties}
