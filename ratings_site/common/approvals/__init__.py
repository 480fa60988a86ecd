"""Staff actions with a reason, and second approvals."""
