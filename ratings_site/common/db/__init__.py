"""Database utilities: all code that depends on the database vendor."""
