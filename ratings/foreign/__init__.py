"""Events abroad, rated."""
