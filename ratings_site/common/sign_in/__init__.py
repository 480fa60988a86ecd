"""The one door: how people sign in, the second factor, what the audit keeps of it."""
