"""Events that are planned."""
