"""Planned events."""
