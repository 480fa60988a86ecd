"""Readers of games files: they never fail, and say what they could not read."""
