"""First steps of a new account, and certification of tournament directors."""
