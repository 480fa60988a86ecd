"""Following players, and share links of a rating."""
