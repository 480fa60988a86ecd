"""Spanish as the federation's members write it: numbers with a point.

With a comma, a rating on a page would differ from the same rating in every file, and
the coordinates of a chart would not be numbers.
"""

DECIMAL_SEPARATOR = "."
THOUSAND_SEPARATOR = ","

DATE_FORMAT = r"j \d\e F \d\e Y"
DATETIME_FORMAT = "j b Y, g:i a"
TIME_FORMAT = "g:i a"
YEAR_MONTH_FORMAT = r"F \d\e Y"
MONTH_DAY_FORMAT = r"j \d\e F"
SHORT_DATE_FORMAT = "j b Y"
SHORT_DATETIME_FORMAT = "j b Y, g:i a"
SHORT_MONTH_FORMAT = "b Y"
SHORT_MONTH_DAY_FORMAT = "j b"
# "4 a 5 may 2024"
FIRST_DAY_OF_SPAN_FORMAT = "j"
LAST_DAY_OF_SPAN_FORMAT = "j b Y"
FIRST_DAY_OF_WEEK = 1
