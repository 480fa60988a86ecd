"""What is odd in a report: its findings, and the office's records."""
