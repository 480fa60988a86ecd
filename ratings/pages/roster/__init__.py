"""Checking a list of players against the members."""
