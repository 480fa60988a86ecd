"""Background jobs: a table is the queue."""
