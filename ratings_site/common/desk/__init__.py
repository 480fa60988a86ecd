"""The office's first page: what waits, and the state of the books."""
