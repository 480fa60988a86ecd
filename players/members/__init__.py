"""The record of a member, and its search."""
