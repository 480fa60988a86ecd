"""New members reported before they have a member ID."""
