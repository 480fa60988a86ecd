"""Imports of record files: checked, reviewed, applied all at once, and undone."""
