"""Experiments of the laboratory: request, run, read."""
