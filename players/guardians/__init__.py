"""Who speaks for a child."""
