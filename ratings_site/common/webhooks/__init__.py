"""Webhooks of account holders."""
