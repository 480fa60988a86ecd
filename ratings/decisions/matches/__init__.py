"""Which matches are rated, and how much they may change a rating."""
