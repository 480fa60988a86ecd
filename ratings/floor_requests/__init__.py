"""Requests to lower a floor, tried on all of history before a decision."""
