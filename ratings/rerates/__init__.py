"""Replay history into a staged ledger, and publish it at once."""
