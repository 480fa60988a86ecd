"""The public API, version 1: one module for each kind of resource.

It uses the queries of the pages and shows only what public pages show, so that what a
page hides is hidden here as well.
"""

from ratings.api.app import api

__all__ = ["api"]
