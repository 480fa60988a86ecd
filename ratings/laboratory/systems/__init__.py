"""The rating systems, a module each."""
