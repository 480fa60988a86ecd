"""The office's first page: what waits, and how the books stand."""
