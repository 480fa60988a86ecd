"""Acts of the office with a reason, and those that need a second person."""
