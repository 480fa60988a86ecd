"""The ledger: how a section is rated, and what is kept of it."""
