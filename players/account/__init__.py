"""One page for all that an account holds."""
