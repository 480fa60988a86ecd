"""New members at the desk: told with a report, before they have a number."""
