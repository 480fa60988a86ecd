"""Imports of opening ratings and past events."""
