"""The office's dashboard: pending items and system status."""
