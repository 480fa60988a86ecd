"""The account page: everything that belongs to an account."""
