"""The public API, version 1: one module for each kind of thing.

It reads through the queries of the pages and shows what a page shows to anybody, so
that whatever a page hides is hidden here as well.
"""

from ratings.api.app import api

__all__ = ["api"]
