"""History played again beside the ledger, and published at once."""
