"""Notices about reports and corrections."""
