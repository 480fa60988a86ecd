"""Monitoring: logs, metrics and error reports, each switched on by a setting."""
