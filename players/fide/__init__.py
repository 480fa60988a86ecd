"""FIDE: rating lists, links to members, and opt-ins."""
