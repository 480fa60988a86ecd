"""Rating previews of corrections."""
