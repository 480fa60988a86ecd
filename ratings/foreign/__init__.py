"""Ratings of foreign events."""
