"""The files that everybody may download."""
