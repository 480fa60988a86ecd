"""The crosstable of a rated section."""
