"""What a result would do to a rating."""
