"""Public pages of events."""
