"""A member's profile, and the games of two members."""
