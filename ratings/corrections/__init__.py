"""What a correction would do to ratings."""
