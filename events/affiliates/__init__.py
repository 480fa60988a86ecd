"""Requests to limit reporting for an affiliate to listed TDs."""
