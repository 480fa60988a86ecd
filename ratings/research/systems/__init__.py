"""The catalog of rating systems: pages, calculators, comparisons."""
