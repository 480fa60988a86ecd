"""Sign-in, two-step verification, and their audit entries."""
