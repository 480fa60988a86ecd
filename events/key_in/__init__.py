"""Reports that are typed in."""
