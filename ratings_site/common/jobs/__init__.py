"""Work for the workers: the table is the queue."""
