"""What the office holds about a person, for that person, and what it can forget."""
