"""Who is told of rated sections, rerates and lists."""
