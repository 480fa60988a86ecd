"""Ratings of other bodies, entered by hand."""
