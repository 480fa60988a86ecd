"""Requests to correct a section, and their effects."""
