"""Notices to accounts, on the site and by email."""
