"""Keys for programs, and how much each may ask."""
