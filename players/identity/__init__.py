"""Duplicates and merges of members."""
