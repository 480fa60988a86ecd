"""The ledger: rating sections, and the lines that this writes."""
