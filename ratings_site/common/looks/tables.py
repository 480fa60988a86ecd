"""What the columns of lists have in common."""

# Numbers stand under each other, to the right.
NUMBER = {"th": {"class": "num"}, "td": {"class": "num"}}
