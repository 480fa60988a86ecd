"""The dashboard lines of ratings, and adapters for the lower apps."""
