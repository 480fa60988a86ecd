"""Charts as SVG, rendered on the server by pure functions."""
