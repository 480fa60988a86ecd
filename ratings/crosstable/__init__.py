"""A rated section as a crosstable."""
