"""Requests to lower a floor, with a rating preview before the decision."""
