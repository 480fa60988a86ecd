"""Ratings taken over from earlier books, from a file."""
