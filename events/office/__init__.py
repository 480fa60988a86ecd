"""Where the office decides on reports."""
