"""Charts as SVG text: pure functions, drawn on the server."""
