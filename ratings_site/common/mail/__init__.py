"""Email: jobs send it, so no page waits for the mail server."""
