"""Members' results in foreign events."""
