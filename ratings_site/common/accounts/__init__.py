"""Accounts and their permissions."""
