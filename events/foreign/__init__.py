"""Members' results in events abroad."""
