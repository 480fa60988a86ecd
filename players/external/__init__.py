"""Ratings of other federations, entered manually."""
