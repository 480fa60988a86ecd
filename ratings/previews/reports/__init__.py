"""Checks of reports against ratings, and the rating preview of a report."""
