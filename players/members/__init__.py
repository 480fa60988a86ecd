"""Member records and the member search."""
