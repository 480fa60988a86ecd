"""Rating previews of the office's actions, shown before they are confirmed."""
