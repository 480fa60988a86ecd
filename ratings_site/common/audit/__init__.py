"""The audit log: who did what, when and why."""
