"""Experiments of the laboratory: asking, running, reading."""
