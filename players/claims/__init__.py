"""Link requests: linking accounts to members by a mailed code or an office decision."""
