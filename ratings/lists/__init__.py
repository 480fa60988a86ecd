"""Official lists, rankings, classes and the distribution."""
