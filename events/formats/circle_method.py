"""The rounds of a round robin whose report has opponents, but no rounds."""


def circle_method_round(one: int, other: int, *, players: int) -> int:
    """Return the round in which two pairing numbers meet, by the circle method.

    With an even number of *players* the last one stays seated and the others
    move round the table; with an odd number that seat is the bye.

    >>> [circle_method_round(1, other, players=4) for other in (2, 3, 4)]
    [1, 2, 3]
    """
    seats = players + players % 2
    turning = seats - 1
    if seats in (one, other):
        moving = min(one, other)
        return (2 * moving - 3) % turning + 1
    return (one + other - 3) % turning + 1
