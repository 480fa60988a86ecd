"""What is sent to the programs of others."""
