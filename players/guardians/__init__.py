"""Parents and guardians who act for a child."""
