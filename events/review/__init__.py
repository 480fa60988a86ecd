"""Review of reports by the office."""
