"""Spanish as the federation's members write it: numbers with a point.

With a comma, a rating on a page would differ from the same rating in every file, and
the coordinates of a chart would not be numbers.
"""

DECIMAL_SEPARATOR = "."
THOUSAND_SEPARATOR = ","
