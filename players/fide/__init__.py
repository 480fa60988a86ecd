"""FIDE: its lists, links to members, and who opted in."""
