"""Notices about rated sections, rerates and lists."""
