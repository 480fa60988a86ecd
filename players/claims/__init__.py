"""Whose account a member's record is: claimed by a code, or by asking the office."""
