"""The home page, help, search, feeds and sitemaps."""
