"""The loops of a replay: plain numbers and columns, one source for two speeds.

This is `ratings.engine.section` for a whole history, with the bookkeeping of a replay.
There is nothing here but loops, indexing and arithmetic, so that a compiler for Python
(numba) can compile the module unchanged; `ratings.rerates.services.kernel_compiler`
does that if numba is installed. Interpreted or compiled, every result has the bits of
the readable engine: each formula does the same operations in the same order, and every
sum is rounded once, whatever the order of its terms.

A function does its step for all players of a section, because calls cost more than
arithmetic. Docstrings name the readable function that a function here mirrors.

Terms: *row* is a row of rules (`rule_rows`), in which a rule that is not known is NaN,
and a player who needs one makes the replay stop. *workspace* is the scratch memory for
one section in one system. *first* is the first entry of the section, so that the player
at place p of the workspace is entry first + p.
"""

from __future__ import annotations

import math
from collections.abc import MutableSequence
from typing import NamedTuple, TypeAlias

from ratings.engine.parameters import (
    MATCH_WINDOW_DAYS,
    MATCH_WINDOW_YEARS,
    REPEAT_CLAUSE_GAMES,
)

from . import rule_rows as rule
from .arrays import (
    ADJUSTED,
    ADJUSTMENT,
    ALL_LOSSES,
    ALL_WINS,
    CEILING,
    CFC,
    DONE,
    FIDE,
    FLOOR,
    FOREIGN,
    FULL,
    LOWERING,
    MIXED,
    NAN,
    NO_RECORD,
    NO_RULE,
    OPENED,
    OPENING,
    SPECIAL,
    STANDARD,
    SYSTEMS,
    WORKSPACE_TOO_SMALL,
    Entries,
    Matches,
    People,
    Results,
    Sides,
    States,
    World,
)

Ints: TypeAlias = MutableSequence[int]
Floats: TypeAlias = MutableSequence[float]

FIRST_ONLINE_SYSTEM = 3
TOLERANCE = 1e-7  # as in `ratings.engine.numbers`
AGE_START_TOLERANCE = 1.0  # as in `ratings.engine.age_based_start`
CLEAR_OF_KNOTS = 1e-3  # as in `ratings.engine.special`


class Buffers(NamedTuple):
    """Scratch columns for sums, and for the knots of the special formula."""

    terms: Floats
    products: Floats
    opponents: Floats
    knots: Floats
    changes: Floats
    edges: Floats


class Workspace(NamedTuple):
    """Scratch columns for one section in one system.

    `numbers` and `values` have `WIDTH` cells per player, named below. `start` is R₀,
    `strength` the rating as an opponent in step 4, `intermediate` the result of step 4.
    """

    numbers: Ints
    values: Floats
    start: Floats
    strength: Floats
    intermediate: Floats
    buffers: Buffers


WIDTH = 8

# The numbers of a player in the workspace. PLAYED is 0 for a player without a row.
PLAYED, WINS, DRAWS, HALF_POINTS, IS_UNRATED, START_GAMES, FORMULA = range(7)

# The values of a player in the workspace, as in `section.Entry` and `RatingResult`.
EFFECTIVE_GAMES, PRIOR_RATING, PRIOR_CREDIT, K = range(4)
THRESHOLD, EXPECTED, BONUS, COMPUTED = range(4, 8)


# --- Sums and dates ---


def total(terms: Floats, count: int) -> float:
    """Add the first *count* terms exactly (`numbers.exact_sum`), overwriting them.

    In the compiled module `numbers.sum_in_place` replaces this function.
    """
    return math.fsum(terms[:count])


def days_before_year(year: int) -> int:
    """Return the ordinal of the last day before 1 January of *year*."""
    before = year - 1
    return before * 365 + before // 4 - before // 100 + before // 400


def is_leap(year: int) -> bool:
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def years_before(day: int, years: int) -> int:
    """Return the day of the same date *years* earlier (`matches.years_before`).

    29 February becomes 28 February in a year that has none.
    """
    year = day // 366 + 1
    while days_before_year(year + 1) < day:
        year += 1
    into_year = day - days_before_year(year)
    target = year - years
    # Days of the year, counted from 1; 60 is 29 February in a leap year.
    if is_leap(year) and into_year >= 60 and not is_leap(target):
        into_year -= 1
    elif not is_leap(year) and into_year >= 60 and is_leap(target):
        into_year += 1
    return days_before_year(target) + into_year


# --- Step 1: the start ---


def most_effective_games(rating: float, row: Floats) -> float:
    """Return N*, NaN if its formula is not known (`effective_games`)."""
    if rating > row[rule.EFFECTIVE_FULL_ABOVE]:
        return row[rule.EFFECTIVE_LIMIT]
    distance = row[rule.EFFECTIVE_PIVOT] - rating
    return row[rule.EFFECTIVE_LIMIT] / math.sqrt(
        row[rule.EFFECTIVE_BASE] + row[rule.EFFECTIVE_SLOPE] * distance * distance
    )


def age_formula_rating(age: float, row: Floats) -> float:
    """Mirror `AgeStart.rating`."""
    if age < row[rule.AGE_LOWEST_BELOW]:
        return row[rule.AGE_LOWEST]
    if age > row[rule.AGE_HIGHEST_ABOVE]:
        return row[rule.AGE_HIGHEST]
    return row[rule.AGE_POINTS] * age


def age_rating(birth_day: int, is_adult: bool, day: int, row: Floats) -> float:
    """Mirror `initialization.age_rating`; NaN if its formula is not known."""
    if birth_day != 0:
        age = (day - birth_day) / row[rule.AGE_DAYS_PER_YEAR]
        if age >= row[rule.AGE_MISTAKEN_BELOW]:
            return age_formula_rating(age, row)
    if is_adult:
        return age_formula_rating(row[rule.AGE_ADULT], row)
    return age_formula_rating(row[rule.AGE_CHILD], row)


def convert_rating(rating: float, row: Floats, first_piece: int) -> float:
    """Mirror `Conversion.us_rating`; NaN if the conversion is not known."""
    place = first_piece
    end = row[place + 2]
    while rating > end or (rating == end and row[place + 3] == 0.0):
        place += 4
        end = row[place + 2]
    return row[place] + row[place + 1] * rating


def source_weight(
    rating: float,
    game_factor: float,
    day: int,
    birth_day: int,
    is_adult: bool,
    end_day: int,
    row: Floats,
) -> float:
    """Return the weight of a *rating* of *day* in a blend (`source_share`)."""
    basis = age_rating(birth_day, is_adult, day, row)
    limit = row[rule.BLEND_STRENGTH_LIMIT]
    strength = (rating - basis) / row[rule.BLEND_STRENGTH_SCALE]
    if strength > limit:
        strength = limit
    exponent = row[rule.BLEND_DECAY] * (strength - limit)
    years_scale = row[rule.BLEND_DAYS_PER_YEAR]
    return game_factor * math.exp(exponent * (end_day - day) / years_scale)


def newest_external(people: People, player: int, body: int, day: int) -> int:
    """Return the place of the newest rating of *body* up to *day*, -1 if none."""
    newest = -1
    for place in range(
        people.first_external[player], people.first_external[player + 1]
    ):
        if people.external_body[place] == body and people.external_day[place] <= day:
            newest = place
    return newest


def newcomer_start(
    people: People,
    states: States,
    buffers: Buffers,
    row: Floats,
    player: int,
    system: int,
    end_day: int,
) -> tuple[float, int]:
    """Return R₀ and N of an unrated player (`starting_point`).

    The rating is NaN if a rule is missing.
    """
    birth_day = people.birth_day[player]
    is_adult = people.adult_from[player] <= end_day
    count = 0
    for other in range(SYSTEMS):
        state = player * SYSTEMS + other
        rating = states.rating[state]
        games = states.games[state]
        if other == system or rating != rating or games <= 0:
            continue
        factor = min(row[rule.GAME_FACTORS + other * SYSTEMS + system], float(games))
        day = min(states.rated_on[state], end_day)
        weight = source_weight(rating, factor, day, birth_day, is_adult, end_day, row)
        buffers.terms[count] = weight
        buffers.products[count] = rating
        count += 1
    for body in range(FIDE, CFC + 1):
        place = newest_external(people, player, body, end_day)
        if place < 0:
            continue
        rating = people.external_rating[place]
        if body == CFC:
            factor = row[rule.CFC_FACTOR]
            rating = convert_rating(rating, row, rule.CFC_PIECES)
        else:
            if rating > row[rule.FIDE_FACTOR_ABOVE]:
                factor = row[rule.FIDE_FACTOR_HIGHER]
            else:
                factor = row[rule.FIDE_FACTOR_LOWER]
            rating = convert_rating(rating, row, rule.FIDE_PIECES)
        day = people.external_day[place]
        weight = source_weight(rating, factor, day, birth_day, is_adult, end_day, row)
        buffers.terms[count] = weight
        buffers.products[count] = rating
        count += 1
    if count == 0:
        return age_rating(birth_day, is_adult, end_day, row), 0
    return blended(buffers, row, count)


def blended(buffers: Buffers, row: Floats, count: int) -> tuple[float, int]:
    """Return the rounded average of *count* sources, and its games (`_blend`).

    `terms` are their weights, `products` their ratings.
    """
    first = buffers.products[0]
    for place in range(count):
        product = buffers.terms[place] * (buffers.products[place] - first)
        if product != product:
            return NAN, 0
        buffers.products[place] = product
    weight = total(buffers.terms, count)
    average = first + total(buffers.products, count) / weight
    games = math.ceil(min(row[rule.BLEND_MOST_GAMES], weight))
    return round_half_up(average), games


def round_half_up(rating: float) -> float:
    """Mirror `numbers.official`."""
    whole = float(math.floor(rating))
    return whole + 1.0 if rating - whole >= 0.5 else whole


# --- Step 2, and terms of both passes ---


def tally(
    entries: Entries, sides: Sides, workspace: Workspace, first: int, players: int
) -> bool:
    """Count each player's results; return False if the workspace is too small."""
    numbers = workspace.numbers
    for place in range(players):
        at = place * WIDTH
        begin = entries.first_game[first + place]
        end = entries.first_game[first + place + 1]
        wins = draws = points = 0
        for side in range(begin, end):
            score = sides.half_points[side]
            points += score
            if score == 2:
                wins += 1
            elif score == 1:
                draws += 1
        numbers[at + PLAYED] = end - begin
        numbers[at + WINS] = wins
        numbers[at + DRAWS] = draws
        numbers[at + HALF_POINTS] = points
        if 2 * (end - begin) + 2 > len(workspace.buffers.knots):
            return False
    return True


def set_starting_ratings(
    people: People,
    states: States,
    entries: Entries,
    workspace: Workspace,
    row: Floats,
    first: int,
    players: int,
    system: int,
    end_day: int,
) -> bool:
    """Set start and N′ of every player (`section._entry`); False if a rule is missing.

    Players without games are included: without them the section cannot be rated either.
    """
    numbers = workspace.numbers
    for place in range(players):
        at = place * WIDTH
        player = entries.player[first + place]
        state = player * SYSTEMS + system
        start = states.rating[state]
        games = states.games[state]
        numbers[at + IS_UNRATED] = start != start
        if start != start:
            start, games = newcomer_start(
                people, states, workspace.buffers, row, player, system, end_day
            )
        most = most_effective_games(start, row)
        if most != most:
            return False
        workspace.start[place] = start
        numbers[at + START_GAMES] = games
        effective = most if most < games else float(games)
        workspace.values[at + EFFECTIVE_GAMES] = effective
        workspace.strength[place] = start
    return True


def bonus_threshold(games: int, meetings: int, is_match: bool, row: Floats) -> float:
    """Return B√m′, infinite where there is no bonus (`no_bonus_reason`, too)."""
    if is_match or games < row[rule.BONUS_FROM_GAMES]:
        return math.inf
    if meetings > row[rule.BONUS_MEETINGS]:
        return math.inf
    if games == REPEAT_CLAUSE_GAMES and meetings > 1:
        clause = row[rule.THREE_GAME_CLAUSE]
        if clause != clause:
            return NAN
        if clause == 1.0:
            return math.inf
    counted = max(float(games), row[rule.BONUS_COUNTS_AT_LEAST])
    return row[rule.BONUS_MULTIPLIER] * math.sqrt(counted)


def k_factor(
    rating: float, effective_games: float, games: int, row: Floats, lower_k: bool
) -> float:
    """Mirror `standard.k_factor`; NaN if a rule is missing."""
    numerator = row[rule.K_NUMERATOR]
    if lower_k:
        above = row[rule.LOWER_K_ABOVE]
        if above != above:
            return NAN
        if rating > above:
            if rating >= row[rule.LOWER_K_FLAT_FROM]:
                numerator = row[rule.LOWER_K_FLAT]
            else:
                numerator *= (
                    row[rule.LOWER_K_INTERCEPT] - row[rule.LOWER_K_SLOPE] * rating
                )
    return numerator / (effective_games + games)


def set_standard_terms(
    workspace: Workspace,
    row: Floats,
    place: int,
    meetings: int,
    is_match: bool,
    lower_k: bool,
) -> bool:
    """Set the terms of the standard formula; return False if a rule is missing."""
    at = place * WIDTH
    games = workspace.numbers[at + PLAYED]
    effective = workspace.values[at + EFFECTIVE_GAMES]
    k = k_factor(workspace.start[place], effective, games, row, lower_k)
    threshold = bonus_threshold(games, meetings, is_match, row)
    workspace.numbers[at + FORMULA] = STANDARD
    workspace.values[at + K] = k
    workspace.values[at + THRESHOLD] = threshold
    return k == k and threshold == threshold


def set_special_terms(
    workspace: Workspace, row: Floats, place: int, record: int
) -> None:
    """Set the terms of the special formula (`special.prior`)."""
    at = place * WIDTH
    rating = workspace.start[place]
    effective = workspace.values[at + EFFECTIVE_GAMES]
    credit = effective / 2.0
    if record == ALL_WINS:
        rating -= row[rule.SPECIAL_SHIFT]
        credit = effective
    elif record == ALL_LOSSES:
        rating += row[rule.SPECIAL_SHIFT]
        credit = 0.0
    workspace.numbers[at + FORMULA] = SPECIAL
    workspace.values[at + PRIOR_RATING] = rating
    workspace.values[at + PRIOR_CREDIT] = credit
    workspace.values[at + K] = NAN


def choose_formulas(
    states: States,
    entries: Entries,
    workspace: Workspace,
    row: Floats,
    first: int,
    players: int,
    system: int,
    is_match: bool,
    lower_k: bool,
) -> bool:
    """Mirror `section._choose_formula`; return False if a rule is missing."""
    special_up_to = row[rule.SPECIAL_UP_TO]
    for place in range(players):
        at = place * WIDTH
        if workspace.numbers[at + PLAYED] == 0:
            continue
        # The record of an unrated player is none.
        record = states.record[entries.player[first + place] * SYSTEMS + system]
        is_unmixed = record in (ALL_WINS, ALL_LOSSES)
        if is_unmixed or workspace.numbers[at + START_GAMES] <= special_up_to:
            set_special_terms(workspace, row, place, record)
            continue
        meetings = entries.meetings[first + place]
        if not set_standard_terms(workspace, row, place, meetings, is_match, lower_k):
            return False
    return True


# --- The two formulas ---


def expected_score(
    rating: float,
    strength: Floats,
    opponent: Ints,
    begin: int,
    end: int,
    scale: float,
    terms: Floats,
) -> float:
    """Return E, the sum of the winning expectancies (`standard_result`)."""
    games = end - begin
    for game in range(games):
        difference = strength[opponent[begin + game]] - rating
        terms[game] = 1.0 / (1.0 + 10.0 ** (difference / scale))
    return total(terms, games)


def special_rating(
    start: float,
    games: float,
    credit: float,
    score: float,
    strength: Floats,
    opponent: Ints,
    begin: int,
    end: int,
    buffers: Buffers,
    row: Floats,
) -> float:
    """Return the zero of f nearest R′₀, at most 2700 (`special.special_rating`)."""
    reach = row[rule.REACH]
    terms, opponents = buffers.terms, buffers.opponents
    count = end - begin
    highest = -math.inf
    lowest = math.inf
    for game in range(count):
        rating = strength[opponent[begin + game]]
        opponents[game] = rating
        terms[game] = rating
        if rating > highest:
            highest = rating
        if rating < lowest:
            lowest = rating
    weight = count + games
    terms[count] = games * start
    rating = balance(terms, count + 1, weight, score, credit, reach)
    clear = reach - CLEAR_OF_KNOTS
    is_simple = highest - clear < rating < lowest + clear and (
        games == 0.0 or abs(rating - start) < clear
    )
    if not is_simple:
        rating = nearest_zero(start, games, credit, score, count, buffers, reach)
    return min(rating, row[rule.SPECIAL_CAP])


def balance(
    terms: Floats, count: int, weight: float, score: float, credit: float, reach: float
) -> float:
    """Solve f = 0 for games all on their slope (`special._balance`).

    *terms* holds the ratings on the slope, and has room for three more; *score* and
    *credit* are without the games surely won.
    """
    terms[count] = 2.0 * reach * score
    terms[count + 1] = 2.0 * reach * credit
    terms[count + 2] = -reach * weight
    return total(terms, count + 3) / weight


def nearest_zero(
    start: float,
    games: float,
    credit: float,
    score: float,
    count: int,
    buffers: Buffers,
    reach: float,
) -> float:
    """Search the pieces of f for its zeros, return the one nearest R′₀ (`_search`)."""
    opponents, edges = buffers.opponents, buffers.edges
    sort(opponents, count)
    knots = set_knots(start, games, count, buffers, reach)
    last_edge = set_edges(buffers, knots)
    knot = first_not_negative(score, credit, knots, buffers, reach)
    first = bisect_left(edges, last_edge, knot)
    last = bisect_right(edges, last_edge, edges[first] + CLEAR_OF_KNOTS)
    low = high = edges[first]
    for number in range(first, last + 1):
        left = edges[number - 1] if number > 0 else -math.inf
        if is_zero_throughout(left, start, games, credit, score, count, buffers, reach):
            low = left
            high = edges[number] if number < last_edge else math.inf
            return max(low, min(high, start))
    for number in range(first, last + 1):
        left = edges[number - 1] if number > 0 else -math.inf
        right = edges[number] if number < last_edge else math.inf
        rating = zero_after(left, start, games, credit, score, count, buffers, reach)
        # NaN, where the piece does not rise, is not.
        if rating <= right:
            return max(left, rating)
    return low


def sort(values: Floats, count: int) -> None:
    """Sort the first *count* values, few as they are."""
    for place in range(1, count):
        value = values[place]
        before = place - 1
        while before >= 0 and values[before] > value:
            values[before + 1] = values[before]
            before -= 1
        values[before + 1] = value


def set_knots(
    start: float, games: float, count: int, buffers: Buffers, reach: float
) -> int:
    """Write the knots and the changes of slope there, in order; return how many.

    At one knot the changes are in order, too: their sum depends on it.
    """
    for place in range(count):
        buffers.knots[place] = buffers.opponents[place] - reach
        buffers.changes[place] = 1.0
    knots = count
    for place in range(count):
        insert_knot(buffers, knots, buffers.opponents[place] + reach, -1.0)
        knots += 1
    if games > 0.0:
        insert_knot(buffers, knots, start - reach, games)
        insert_knot(buffers, knots + 1, start + reach, -games)
        knots += 2
    return knots


def insert_knot(buffers: Buffers, count: int, knot: float, change: float) -> None:
    """Insert a knot into the *count* knots that are in order."""
    knots, changes = buffers.knots, buffers.changes
    before = count - 1
    while before >= 0 and (
        knots[before] > knot or (knots[before] == knot and changes[before] > change)
    ):
        knots[before + 1] = knots[before]
        changes[before + 1] = changes[before]
        before -= 1
    knots[before + 1] = knot
    changes[before + 1] = change


def set_edges(buffers: Buffers, knots: int) -> int:
    """Write each different knot once; return how many there are."""
    count = 0
    for place in range(knots):
        if place == 0 or buffers.knots[place] != buffers.knots[place - 1]:
            buffers.edges[count] = buffers.knots[place]
            count += 1
    return count


def first_not_negative(
    score: float, credit: float, count: int, buffers: Buffers, reach: float
) -> float:
    """Return the first knot where f is at least (nearly) zero."""
    knots, changes = buffers.knots, buffers.changes
    height = -2.0 * reach * (score + credit)
    lowest = -2.0 * reach * TOLERANCE
    slope = 0.0
    before = knots[0]
    for place in range(count):
        knot = knots[place]
        height += slope * (knot - before)
        if height >= lowest:
            return knot
        slope += changes[place]
        before = knot
    return knots[count - 1]


def bisect_left(values: Floats, count: int, value: float) -> int:
    place = 0
    while place < count and values[place] < value:
        place += 1
    return place


def bisect_right(values: Floats, count: int, value: float) -> int:
    place = 0
    while place < count and values[place] <= value:
        place += 1
    return place


def games_won(left: float, count: int, buffers: Buffers, reach: float) -> int:
    """Return how many opponents have their upper knot at *left* or below."""
    won = 0
    while won < count and buffers.opponents[won] + reach <= left:
        won += 1
    return won


def games_entered(left: float, count: int, buffers: Buffers, reach: float) -> int:
    """Return how many opponents have their lower knot at *left* or below."""
    entered = 0
    while entered < count and buffers.opponents[entered] - reach <= left:
        entered += 1
    return entered


def is_zero_throughout(
    left: float,
    start: float,
    games: float,
    credit: float,
    score: float,
    count: int,
    buffers: Buffers,
    reach: float,
) -> bool:
    """Return whether f is zero on all of the piece that begins at *left*."""
    if games > 0.0 and start - reach <= left < start + reach:
        return False
    won = games_won(left, count, buffers, reach)
    if games_entered(left, count, buffers, reach) != won:
        return False
    prior_won = games if left >= start + reach else 0.0
    height = won - score - (credit - prior_won)
    return abs(height) <= TOLERANCE


def zero_after(
    left: float,
    start: float,
    games: float,
    credit: float,
    score: float,
    count: int,
    buffers: Buffers,
    reach: float,
) -> float:
    """Return where the line of the piece that begins at *left* is zero.

    NaN if the piece does not rise (`_Pieces.zero_of`).
    """
    won = games_won(left, count, buffers, reach)
    entered = games_entered(left, count, buffers, reach)
    on_slope = 0
    for place in range(won, entered):
        buffers.terms[on_slope] = buffers.opponents[place]
        on_slope += 1
    weight = float(on_slope)
    if games > 0.0 and start - reach <= left < start + reach:
        weight += games
        buffers.terms[on_slope] = games * start
        on_slope += 1
    if on_slope == 0:
        return NAN
    prior_won = games if left >= start + reach else 0.0
    return balance(
        buffers.terms, on_slope, weight, score - won, credit - prior_won, reach
    )


# --- Steps 3, 4 and 5 ---


def make_first_estimates(
    entries: Entries,
    sides: Sides,
    workspace: Workspace,
    row: Floats,
    first: int,
    players: int,
) -> None:
    """Do step 3: the strength of unrated players with N = 0 (`first_estimate`)."""
    games = row[rule.FIRST_ESTIMATE_GAMES]
    for place in range(players):
        at = place * WIDTH
        if (
            workspace.numbers[at + IS_UNRATED] == 0
            or workspace.numbers[at + START_GAMES] > 0
        ):
            continue
        if workspace.numbers[at + PLAYED] == 0:
            continue
        estimate = special_rating(
            workspace.start[place],
            games,
            games / 2.0,
            workspace.numbers[at + HALF_POINTS] / 2.0,
            workspace.start,
            sides.opponent,
            entries.first_game[first + place],
            entries.first_game[first + place + 1],
            workspace.buffers,
            row,
        )
        workspace.strength[place] = max(row[rule.LOWEST], estimate)


def apply_formulas(
    first_game: Ints,
    opponent: Ints,
    strength: Floats,
    workspace: Workspace,
    row: Floats,
    first: int,
    players: int,
) -> None:
    """Compute each player against opponents of these strengths (`formula_rating`)."""
    scale = row[rule.SCALE]
    numbers, values = workspace.numbers, workspace.values
    for place in range(players):
        at = place * WIDTH
        if numbers[at + PLAYED] == 0:
            continue
        begin = first_game[first + place]
        end = first_game[first + place + 1]
        score = numbers[at + HALF_POINTS] / 2.0
        if numbers[at + FORMULA] == SPECIAL:
            values[at + COMPUTED] = special_rating(
                values[at + PRIOR_RATING],
                values[at + EFFECTIVE_GAMES],
                values[at + PRIOR_CREDIT],
                score,
                strength,
                opponent,
                begin,
                end,
                workspace.buffers,
                row,
            )
            values[at + EXPECTED] = NAN
            values[at + BONUS] = NAN
            continue
        rating = workspace.start[place]
        expected = expected_score(
            rating, strength, opponent, begin, end, scale, workspace.buffers.terms
        )
        change = values[at + K] * (score - expected)
        threshold = values[at + THRESHOLD]
        bonus = change - threshold if change > threshold else 0.0
        values[at + COMPUTED] = rating + change + bonus
        values[at + EXPECTED] = expected
        values[at + BONUS] = bonus


# --- Match limits, floors and ceilings ---


def match_net(
    matches: Matches, state: int, opens: int, day: int, terms: Floats
) -> float:
    """Return the net change by matches that ended after *opens*, up to *day*."""
    count = 0
    place = matches.newest[state]
    while place >= 0:
        if opens < matches.day[place] <= day:
            terms[count] = matches.change[place]
            count += 1
        place = matches.previous[place]
    return total(terms, count)


def within_limit(rating: float, computed: float, net: float, limit: float) -> float:
    """Return *computed*, limited so that the net change with *net* stays in the limit.

    A net change already beyond the limit leaves room in the other direction.
    """
    most_down = min(0.0, -limit - net)
    most_up = max(0.0, limit - net)
    return min(rating + most_up, max(rating + most_down, computed))


def granted_floor(
    people: People, player: int, system: int, day: int, lowering: int
) -> float:
    """Return the highest floor granted and in force on *day*, 0 if none.

    *lowering* is the place of the lowering that counts, -1 if none.
    """
    since = people.grant_from[lowering] if lowering >= 0 else 0
    highest = people.grant_level[lowering] if lowering >= 0 else 0.0
    for place in range(people.first_grant[player], people.first_grant[player + 1]):
        if (
            people.grant_kind[place] == FLOOR
            and people.grant_system[place] == system
            and since <= people.grant_from[place] <= day
            and day <= people.grant_until[place]
        ):
            highest = max(highest, people.grant_level[place])
    return highest


def newest_lowering(people: People, player: int, system: int, day: int) -> int:
    """Return the place of the newest lowering in force on *day*, -1 if none."""
    newest = -1
    for place in range(people.first_grant[player], people.first_grant[player + 1]):
        if (
            people.grant_kind[place] == LOWERING
            and people.grant_system[place] == system
            and people.grant_from[place] <= day <= people.grant_until[place]
            and (newest < 0 or people.grant_from[place] >= people.grant_from[newest])
        ):
            newest = place
    return newest


def ceiling_of(people: People, player: int, system: int, day: int) -> float:
    """Return the lowest ceiling in force on *day*, NaN if none."""
    lowest = NAN
    for place in range(people.first_grant[player], people.first_grant[player + 1]):
        if (
            people.grant_kind[place] == CEILING
            and people.grant_system[place] == system
            and people.grant_from[place] <= day <= people.grant_until[place]
            and not people.grant_level[place] >= lowest
        ):
            lowest = people.grant_level[place]
    return lowest


def absolute_floor(
    wins: int, draws: int, events: int, row: Floats, system: int
) -> float:
    """Mirror `floors.absolute_floor`; the counts include the event being rated."""
    if system >= FIRST_ONLINE_SYSTEM or row[rule.PERSONAL_FLOOR] == 0.0:
        return row[rule.LOWEST]
    earned = (
        row[rule.FLOOR_BASE]
        + row[rule.FLOOR_PER_WIN] * wins
        + row[rule.FLOOR_PER_DRAW] * draws
        + row[rule.FLOOR_PER_EVENT] * events
    )
    return min(earned, row[rule.FLOOR_HIGHEST])


def peak_floor(peak: float, row: Floats) -> float:
    """Mirror `floors.peak_floor`; 0 if there is none."""
    if peak != peak:
        return 0.0
    target = round_half_up(peak) - row[rule.PEAK_FLOOR_DROP]
    if target < row[rule.PEAK_FLOOR_LOWEST]:
        return 0.0
    step = row[rule.PEAK_FLOOR_STEP]
    return min(target // step * step, row[rule.PEAK_FLOOR_HIGHEST])


def fill_floors(
    people: People,
    states: States,
    rules: Floats,
    rules_of_row: Ints,
    floors: Floats,
) -> None:
    """Fill *floors* with the floor after each rated state's last row.

    *rules_of_row* are the places in the table of *rules*, of the rows of the whole run.
    """
    for state in range(len(floors)):
        if states.rating[state] != states.rating[state]:
            continue
        player, system = state // SYSTEMS, state % SYSTEMS
        place = rules_of_row[states.last_row[state]] * rule.WIDTH
        row = rules[place : place + rule.WIDTH]
        wins, draws = states.wins[state], states.draws[state]
        floor = max(
            absolute_floor(wins, draws, states.three_game_events[state], row, system),
            peak_floor(states.peak[state], row),
        )
        if people.first_grant[player] < people.first_grant[player + 1]:
            day = states.rated_on[state]
            lowering = newest_lowering(people, player, system, day)
            floor = max(floor, granted_floor(people, player, system, day, lowering))
        floors[state] = floor


def peak_in_force(
    people: People, states: States, player: int, system: int, lowering: int
) -> float:
    """Return the peak before an item; a lowering since the last one restarts it."""
    state = player * SYSTEMS + system
    if lowering >= 0 and states.rated_on[state] < people.grant_from[lowering]:
        return NAN
    return states.peak[state]


def peak_after(peak: float, rating: float, games: int, row: Floats) -> float:
    """Mirror `results.peak_after`: only established ratings make a peak."""
    if games <= row[rule.ESTABLISHED_AFTER] or rating <= peak:
        return peak
    return rating


def record_after(before: int, wins: int, draws: int, games: int) -> int:
    """Mirror `results.record_after`."""
    if wins == games:
        now = ALL_WINS
    elif wins == 0 and draws == 0:
        now = ALL_LOSSES
    else:
        return MIXED
    return now if before in (NO_RECORD, now) else MIXED


def remaining_age_start(
    states: States,
    row: Floats,
    player: int,
    system: int,
    start: float,
    start_games: int,
    post: float,
) -> float:
    """Return the age-based start that *post* still is, NaN if none (`age_starts`)."""
    state = player * SYSTEMS + system
    if states.rating[state] == states.rating[state]:
        remaining = states.age_start[state]
        return remaining if abs(post - remaining) <= AGE_START_TOLERANCE else NAN
    if start_games == 0:
        is_same = (
            start < row[rule.AGE_HIGHEST] and abs(post - start) <= AGE_START_TOLERANCE
        )
        return start if is_same else NAN
    for other in range(SYSTEMS):
        source = player * SYSTEMS + other
        rating = states.rating[source]
        has_age_start = states.age_start[source] == states.age_start[source]
        if (
            other != system
            and has_age_start
            and abs(post - rating) <= AGE_START_TOLERANCE
        ):
            return rating
    return NAN


# --- One item ---


def write_rows(
    world: World,
    workspace: Workspace,
    row: Floats,
    item: int,
    system: int,
    results: Results,
) -> bool:
    """Apply limits, floor and ceiling (`settle`) and write a row per player.

    Returns False if a rule is missing. Long, because calls and looking up columns for
    each player would double the time.
    """
    people, states, matches = world.people, world.states, world.matches
    items, entries = world.program.items, world.program.entries
    counts = results.counts
    (
        item_column,
        system_column,
        player_column,
        entry_column,
        pre_rating_column,
        pre_games_column,
        pre_record_column,
        pre_age_start_column,
        initial_rating_column,
        initial_games_column,
        effective_games_column,
        formula_column,
        half_points_column,
        games_column,
        expected_column,
        k_column,
        bonus_column,
        intermediate_column,
        floor_given_column,
        floor_used_column,
        ceiling_given_column,
        ceiling_used_column,
        floor_request_column,
        match_net_180_column,
        match_net_3y_column,
        post_rating_column,
        post_games_column,
        record_column,
        wins_column,
        draws_column,
        losses_column,
        three_game_events_column,
        peak_column,
        age_start_column,
        previous_row_column,
    ) = results.rows
    numbers, values = workspace.numbers, workspace.values
    first = items.first_entry[item]
    end_day = items.ends[item]
    is_match = items.is_match[item] == 1
    lowest = row[rule.LOWEST]
    out = counts[1]
    for place in range(items.first_entry[item + 1] - first):
        at = place * WIDTH
        games = numbers[at + PLAYED]
        if games == 0:
            continue
        player = entries.player[first + place]
        state = player * SYSTEMS + system
        rating = states.rating[state]
        has_grants = people.first_grant[player] < people.first_grant[player + 1]

        reached = values[at + COMPUTED]
        net_180 = net_3y = NAN
        if is_match and rating == rating:
            opens = end_day - MATCH_WINDOW_DAYS
            net_180 = match_net(matches, state, opens, end_day, workspace.buffers.terms)
            opens = years_before(end_day, MATCH_WINDOW_YEARS)
            net_3y = match_net(matches, state, opens, end_day, workspace.buffers.terms)
            limit = row[rule.MATCH_LIMIT]
            limit_180, limit_3y = (
                row[rule.MATCH_LIMIT_180_DAYS],
                row[rule.MATCH_LIMIT_3_YEARS],
            )
            if limit != limit or limit_180 != limit_180 or limit_3y != limit_3y:
                return False
            reached = min(rating + limit, max(rating - limit, reached))
            reached = within_limit(rating, reached, net_180, limit_180)
            reached = within_limit(rating, reached, net_3y, limit_3y)

        wins = states.wins[state] + numbers[at + WINS]
        draws = states.draws[state] + numbers[at + DRAWS]
        losses = states.losses[state] + games - numbers[at + WINS] - numbers[at + DRAWS]
        events = states.three_game_events[state]
        if games >= row[rule.FLOOR_EVENT_GAMES]:
            events += 1
        lowering = -1
        peak = states.peak[state]
        if has_grants:
            lowering = newest_lowering(people, player, system, end_day)
            peak = peak_in_force(people, states, player, system, lowering)
        absolute = absolute_floor(wins, draws, events, row, system)
        if absolute != absolute:
            return False
        floor = max(absolute, peak_floor(peak, row))
        ceiling = NAN
        if has_grants:
            granted = granted_floor(people, player, system, end_day, lowering)
            floor = max(floor, granted)
            ceiling = ceiling_of(people, player, system, end_day)

        held = max(lowest, floor)
        post = reached
        floor_used = ceiling_used = NAN
        floor_request = 0
        if reached < held:
            post = floor_used = held
            if is_match and reached < rating and held > lowest:
                floor_request = 1
        if post > ceiling:
            post = ceiling_used = ceiling
        post_games = numbers[at + START_GAMES] + games

        item_column[out] = item
        system_column[out] = system
        player_column[out] = player
        entry_column[out] = place
        pre_rating_column[out] = rating
        pre_games_column[out] = states.games[state]
        pre_record_column[out] = states.record[state]
        pre_age_start_column[out] = states.age_start[state]
        initial_rating_column[out] = workspace.start[place]
        initial_games_column[out] = numbers[at + START_GAMES]
        effective_games_column[out] = values[at + EFFECTIVE_GAMES]
        formula_column[out] = numbers[at + FORMULA]
        half_points_column[out] = numbers[at + HALF_POINTS]
        games_column[out] = games
        expected_column[out] = values[at + EXPECTED]
        k_column[out] = values[at + K]
        bonus_column[out] = values[at + BONUS]
        intermediate_column[out] = workspace.intermediate[place]
        floor_given_column[out] = floor
        floor_used_column[out] = floor_used
        ceiling_given_column[out] = ceiling
        ceiling_used_column[out] = ceiling_used
        floor_request_column[out] = floor_request
        match_net_180_column[out] = net_180
        match_net_3y_column[out] = net_3y
        post_rating_column[out] = post
        post_games_column[out] = post_games
        record_column[out] = record_after(
            states.record[state], numbers[at + WINS], numbers[at + DRAWS], games
        )
        wins_column[out] = wins
        draws_column[out] = draws
        losses_column[out] = losses
        three_game_events_column[out] = events
        peak_column[out] = peak_after(peak, post, post_games, row)
        age_start_column[out] = remaining_age_start(
            states,
            row,
            player,
            system,
            workspace.start[place],
            numbers[at + START_GAMES],
            post,
        )
        previous_row_column[out] = states.last_row[state]
        out += 1
    close_calculation(results, item, system, out)
    return True


def close_calculation(results: Results, item: int, system: int, out: int) -> None:
    """Count the rows up to *out* as a calculation, unless there are none."""
    calculations, counts = results.calculations, results.counts
    if out == counts[1]:
        return
    number = counts[2]
    calculations.item[number] = item
    calculations.system[number] = system
    calculations.first_row[number] = counts[1]
    calculations.first_row[number + 1] = out
    counts[1] = out
    counts[2] = number + 1


def rate_in_system(
    world: World,
    workspace: Workspace,
    row: Floats,
    item: int,
    system: int,
    results: Results,
) -> bool:
    """Rate a section in one system (`rate_section`); False if a rule is missing.

    The states do not change, so that both systems of a dual-rated section start from
    the states before it. A foreign event has one pass, against known ratings
    (`foreign.rate_foreign_event`).
    """
    people, states = world.people, world.states
    items, entries = world.program.items, world.program.entries
    sides = world.program.sides
    first = items.first_entry[item]
    players = items.first_entry[item + 1] - first
    is_match = items.is_match[item] == 1
    lower_k = items.lower_k[item] == 1 and system == items.system_a[item]
    if items.kind[item] == FOREIGN:
        if not prepare_foreign_event(
            states, entries, workspace, row, first, players, system, is_match, lower_k
        ):
            return False
        strength: Floats = sides.foreign_rating
    else:
        end_day = items.ends[item]
        if not set_starting_ratings(
            people, states, entries, workspace, row, first, players, system, end_day
        ):
            return False
        if not choose_formulas(
            states, entries, workspace, row, first, players, system, is_match, lower_k
        ):
            return False
        make_first_estimates(entries, sides, workspace, row, first, players)
        apply_formulas(
            entries.first_game,
            sides.opponent,
            workspace.strength,
            workspace,
            row,
            first,
            players,
        )
        lowest = row[rule.LOWEST]
        for place in range(players):
            computed = workspace.values[place * WIDTH + COMPUTED]
            workspace.intermediate[place] = max(lowest, computed)
        strength = workspace.intermediate
    apply_formulas(
        entries.first_game, sides.opponent, strength, workspace, row, first, players
    )
    return write_rows(world, workspace, row, item, system, results)


def prepare_foreign_event(
    states: States,
    entries: Entries,
    workspace: Workspace,
    row: Floats,
    first: int,
    players: int,
    system: int,
    is_match: bool,
    lower_k: bool,
) -> bool:
    """Prepare a foreign event; return False if a rule is missing.

    Players whose rating is not established at this place get no row.
    """
    for place in range(players):
        at = place * WIDTH
        state = entries.player[first + place] * SYSTEMS + system
        rating, games = states.rating[state], states.games[state]
        if rating != rating or games <= row[rule.ESTABLISHED_AFTER]:
            workspace.numbers[at + PLAYED] = 0
        if workspace.numbers[at + PLAYED] == 0:
            continue
        most = most_effective_games(rating, row)
        workspace.start[place] = rating
        workspace.intermediate[place] = NAN
        workspace.numbers[at + START_GAMES] = games
        workspace.values[at + EFFECTIVE_GAMES] = most if most < games else float(games)
        meetings = entries.meetings[first + place]
        is_known = set_standard_terms(
            workspace, row, place, meetings, is_match, lower_k
        )
        if most != most or not is_known:
            return False
    return True


def write_assigned_row(
    world: World, row: Floats, item: int, system: int, results: Results
) -> None:
    """Write the row of an opening or an adjustment."""
    people, states, items = world.people, world.states, world.program.items
    given, rows = world.program.given, results.rows
    source = items.given[item]
    player = world.program.entries.player[items.first_entry[item]]
    state = player * SYSTEMS + system
    rating, games, peak = given.rating[source], given.games[source], given.peak[source]
    if items.kind[item] == OPENING:
        formula = OPENED
        if peak != peak:
            peak = peak_after(NAN, rating, games, row)
    else:
        formula = ADJUSTED
        if peak != peak:
            lowering = newest_lowering(people, player, system, items.ends[item])
            peak = peak_in_force(people, states, player, system, lowering)
    out = results.counts[1]
    rows.item[out] = item
    rows.system[out] = system
    rows.player[out] = player
    rows.entry[out] = 0
    rows.pre_rating[out] = states.rating[state]
    rows.pre_games[out] = states.games[state]
    rows.pre_record[out] = states.record[state]
    rows.pre_age_start[out] = states.age_start[state]
    rows.initial_rating[out] = NAN
    rows.initial_games[out] = 0
    rows.effective_games[out] = NAN
    rows.formula[out] = formula
    rows.half_points[out] = 0
    rows.games[out] = 0
    rows.expected[out] = NAN
    rows.k[out] = NAN
    rows.bonus[out] = NAN
    rows.intermediate[out] = NAN
    rows.floor_given[out] = NAN
    rows.floor_used[out] = NAN
    rows.ceiling_given[out] = NAN
    rows.ceiling_used[out] = NAN
    rows.floor_request[out] = 0
    rows.match_net_180[out] = NAN
    rows.match_net_3y[out] = NAN
    rows.post_rating[out] = rating
    rows.post_games[out] = games
    rows.record[out] = given.record[source]
    rows.wins[out] = given.wins[source]
    rows.draws[out] = given.draws[source]
    rows.losses[out] = given.losses[source]
    rows.three_game_events[out] = given.three_game_events[source]
    rows.peak[out] = peak
    remaining = states.age_start[state]
    is_same = formula == ADJUSTED and abs(rating - remaining) <= AGE_START_TOLERANCE
    rows.age_start[out] = remaining if is_same else NAN
    rows.previous_row[out] = states.last_row[state]
    close_calculation(results, item, system, out + 1)


def update_states(world: World, item: int, results: Results, first_row: int) -> None:
    """Update the states from the item's rows, and log its matches."""
    states, rows, counts = world.states, results.rows, results.counts
    end_day = world.program.items.ends[item]
    is_match = world.program.items.is_match[item] == 1
    for place in range(first_row, counts[1]):
        state = rows.player[place] * SYSTEMS + rows.system[place]
        if is_match and rows.pre_rating[place] == rows.pre_rating[place]:
            change = rows.post_rating[place] - rows.pre_rating[place]
            log_match(world.matches, state, end_day, change)
        states.rating[state] = rows.post_rating[place]
        states.games[state] = rows.post_games[place]
        states.record[state] = rows.record[place]
        states.wins[state] = rows.wins[place]
        states.draws[state] = rows.draws[place]
        states.losses[state] = rows.losses[place]
        states.three_game_events[state] = rows.three_game_events[place]
        states.peak[state] = rows.peak[place]
        states.age_start[state] = rows.age_start[place]
        states.rated_on[state] = end_day
        states.last_row[state] = counts[0] + place


def most_matches(world: World, item: int) -> int:
    """Return the most matches that a player of the item has played in a system."""
    items, matches = world.program.items, world.matches
    most = 0
    for entry in range(items.first_entry[item], items.first_entry[item + 1]):
        player = world.program.entries.player[entry]
        for state in range(player * SYSTEMS, (player + 1) * SYSTEMS):
            count = 0
            place = matches.newest[state]
            while place >= 0:
                count += 1
                place = matches.previous[place]
            most = max(most, count)
    return most


def log_match(matches: Matches, state: int, day: int, change: float) -> None:
    place = matches.used[0]
    matches.day[place] = day
    matches.change[place] = change
    matches.previous[place] = matches.newest[state]
    matches.newest[state] = place
    matches.used[0] = place + 1


def is_full(world: World, item: int, results: Results) -> bool:
    """Return whether the item's rows or its matches may not fit."""
    items, matches, counts = world.program.items, world.matches, results.counts
    most_rows = items.first_entry[item + 1] - items.first_entry[item]
    if items.system_b[item] >= 0:
        most_rows *= 2
    if counts[1] + most_rows > len(results.rows.item):
        return True
    if counts[2] + 2 > len(results.calculations.item):
        return True
    matches_left = len(matches.day) - matches.used[0]
    return items.is_match[item] == 1 and most_rows > matches_left


def replay_item(world: World, workspace: Workspace, item: int, results: Results) -> int:
    """Rate one item; return DONE, or why it is not rated and nothing has changed."""
    if is_full(world, item, results):
        return FULL
    items, entries = world.program.items, world.program.entries
    counts = results.counts
    first_row, first_calculation = counts[1], counts[2]
    kind = items.kind[item]
    system, other = items.system_a[item], items.system_b[item]
    begin = items.rules[item] * rule.WIDTH
    row = world.rules[begin : begin + rule.WIDTH]
    is_rated = True
    if kind in (OPENING, ADJUSTMENT):
        write_assigned_row(world, row, item, system, results)
    else:
        first = items.first_entry[item]
        players = items.first_entry[item + 1] - first
        if players > len(workspace.start):
            return WORKSPACE_TOO_SMALL
        if not tally(entries, world.program.sides, workspace, first, players):
            return WORKSPACE_TOO_SMALL
        if items.is_match[item] == 1 and most_matches(world, item) > len(
            workspace.buffers.terms
        ):
            return WORKSPACE_TOO_SMALL
        while is_rated and system >= 0:
            is_rated = rate_in_system(world, workspace, row, item, system, results)
            system, other = other, -1
    if not is_rated:
        counts[1], counts[2] = first_row, first_calculation
        return NO_RULE
    update_states(world, item, results, first_row)
    return DONE


def replay_items(
    world: World,
    workspace: Workspace,
    first_item: int,
    last_item: int,
    results: Results,
) -> tuple[int, int]:
    """Rate items up to, not including, *last_item*; return the place and the reason."""
    for item in range(first_item, last_item):
        reason = replay_item(world, workspace, item, results)
        if reason != DONE:
            return item, reason
    return last_item, DONE
