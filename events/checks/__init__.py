"""Checks of a report against the office's records."""
