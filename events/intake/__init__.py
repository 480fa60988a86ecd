"""Affiliates and tournament directors that move in, from files."""
