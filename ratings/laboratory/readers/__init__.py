"""Readers of games files: they never fail, and report what they cannot read."""
