"""What ratings add to the office, and answer to the apps below."""
