"""Short ways to make a batch of games and a table of ratings."""

from datetime import date

from ratings.laboratory.protocol import Games, Moment, Pool, Standing

MAY = date(2024, 5, 31)


def games(*results, on=MAY, event=0):
    """Games of one event: White, Black and White's points, in order."""
    count = len(results)
    return Games(
        white=[white for white, _, _ in results],
        black=[black for _, black, _ in results],
        points=[points for _, _, points in results],
        days=[on.toordinal()] * count,
        events=[event] * count,
        minutes=[0] * count,
    )


def moment(on=MAY, period=0):
    return Moment(on.toordinal(), period)


def table_of(system, *numbers, parameters=None, birth_years=(), played=0):
    """A table of players with these numbers of the system's own; None is unrated."""
    table = system.begin(Pool(len(numbers), birth_years), parameters)
    for player, number in enumerate(numbers):
        if number is not None:
            table.seed(player, Standing(number, played))
    return table


def numbers_of(table, players):
    """What a table has for the first *players*, None for the unrated."""
    standings = [table.standing(player) for player in range(players)]
    return [standing and standing.rating for standing in standings]
