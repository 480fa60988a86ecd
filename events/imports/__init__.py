"""Imports of affiliates and tournament directors from files."""
