"""Manual entry of results."""
