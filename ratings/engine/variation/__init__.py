"""Varied rules: the variables of an experiment, and the resulting rules."""
