"""All code that differs by database."""
