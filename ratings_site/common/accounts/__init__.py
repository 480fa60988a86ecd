"""Who may do what: permissions, and how people sign in."""
