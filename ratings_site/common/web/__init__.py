"""Requests and responses: middleware, page cache, partials, files, API problems."""
