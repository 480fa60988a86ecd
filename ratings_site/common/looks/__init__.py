"""How figures, fields, lists, icons and charts look on every page."""
