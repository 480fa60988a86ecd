"""The first page, feeds, and what search engines are told."""
