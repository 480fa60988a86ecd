"""The public page and image of a share link."""
