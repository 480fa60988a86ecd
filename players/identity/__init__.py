"""Who is one person: duplicates and merges."""
