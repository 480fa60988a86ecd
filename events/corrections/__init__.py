"""Requests to correct a section, and what they would change."""
