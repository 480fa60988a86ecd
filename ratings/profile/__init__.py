"""A member's profile, and two members against each other."""
