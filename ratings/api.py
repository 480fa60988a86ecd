"""The public API, version 1."""

from ninja import NinjaAPI

api = NinjaAPI(title="Ratings office", version="1.0", docs_url="docs/")
