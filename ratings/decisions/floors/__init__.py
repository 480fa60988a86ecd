"""Floors, ceilings, adjustments and titles."""
