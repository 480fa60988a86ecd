"""Formulas as native MathML: bricks, and the formulas of the rating system.

Every formula stands twice: in letters, and with the numbers put in.
"""

from collections.abc import Sequence

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from ratings_site.common.figures import MINUS


def plain(value: float, places: int = 2) -> str:
    """Write a number with a fixed count of decimals and a true minus."""
    return f"{value:.{places}f}".replace("-", MINUS)


def constant(value: float) -> str:
    """Write a constant of the rules as the text prints it: no needless zeros."""
    digits = f"{value:.10f}".rstrip("0").rstrip(".")
    return digits.replace("-", MINUS)


def number(text: str) -> SafeString:
    return format_html("<mn>{}</mn>", text)


def letter(text: str) -> SafeString:
    return format_html("<mi>{}</mi>", text)


def sign(text: str) -> SafeString:
    return format_html("<mo>{}</mo>", text)


def row(*parts: SafeString) -> SafeString:
    return format_html("<mrow>{}</mrow>", format_html_join("", "{}", _each(parts)))


def fraction(above: SafeString, below: SafeString) -> SafeString:
    return format_html("<mfrac>{}{}</mfrac>", above, below)


def root(inside: SafeString) -> SafeString:
    return format_html("<msqrt>{}</msqrt>", inside)


def power(base: SafeString, exponent: SafeString) -> SafeString:
    return format_html("<msup>{}{}</msup>", base, exponent)


def index(base: SafeString, below: SafeString) -> SafeString:
    return format_html("<msub>{}{}</msub>", base, below)


def bracketed(*parts: SafeString) -> SafeString:
    return row(sign("("), *parts, sign(")"))


def display(*parts: SafeString) -> SafeString:
    return format_html('<math display="block">{}</math>', row(*parts))


def both(letters: SafeString, numbers: SafeString) -> SafeString:
    return format_html("{}{}", letters, numbers)


def _each(parts: Sequence[SafeString]) -> list[tuple[SafeString]]:
    return [(part,) for part in parts]


def _between(parts: Sequence[SafeString], mark: str) -> list[SafeString]:
    """Set a sign between neighbours."""
    joined: list[SafeString] = []
    for part in parts:
        joined += [sign(mark), part] if joined else [part]
    return joined


EQUALS = sign("=")
MINUS_SIGN = sign(MINUS)
PLUS = sign("+")
TIMES = sign("×")


def primed(text: str) -> SafeString:
    prime = SafeString('<mo lspace="0em" rspace="0em">′</mo>')
    return power(letter(text), prime)


N, N_STAR, N_PRIME = letter("N"), power(letter("N"), sign("*")), primed("N")
R, R_PRIME, M = letter("R"), primed("R"), letter("M")
S, S_PRIME, E, K = letter("S"), primed("S"), letter("E"), letter("K")
GAMES = letter("m")
OPPONENT = index(R, letter("i"))
WE, PWE = letter("We"), letter("PWe")
# The sum over the opponents.
OVER_OPPONENTS = format_html(
    "<munder>{}{}</munder>",
    SafeString('<mo movablelimits="false">∑</mo>'),
    letter("i"),
)


def most_effective_games(formula, rating: float, result: float) -> SafeString:
    """N* below the rating from which it is a constant (section 3)."""

    def typeset(shown: SafeString) -> SafeString:
        distance = bracketed(number(constant(formula.pivot)), MINUS_SIGN, shown)
        inside = row(
            number(constant(formula.base)),
            PLUS,
            number(constant(formula.slope)),
            power(distance, number("2")),
        )
        return fraction(number(constant(formula.limit)), root(inside))

    return both(
        display(N_STAR, EQUALS, typeset(R)),
        display(
            N_STAR,
            EQUALS,
            typeset(number(plain(rating))),
            EQUALS,
            number(plain(result)),
        ),
    )


def effective_games(games: int, most: float, result: float) -> SafeString:
    """N′ is the smaller of N and N* (section 3)."""
    return both(
        display(N_PRIME, EQUALS, letter("min"), bracketed(N, sign(","), N_STAR)),
        display(
            N_PRIME,
            EQUALS,
            letter("min"),
            bracketed(number(str(games)), sign(","), number(plain(most))),
            EQUALS,
            number(plain(result)),
        ),
    )


def age_start(points: float, age: float, result: float) -> SafeString:
    """The age-based start between its two ends (section 2.3)."""
    left = index(R, number("0"))
    return both(
        display(left, EQUALS, number(constant(points)), TIMES, letter("age")),
        display(
            left,
            EQUALS,
            number(constant(points)),
            TIMES,
            number(plain(age, 4)),
            EQUALS,
            number(plain(result)),
        ),
    )


def blend(
    weights: Sequence[float], ratings: Sequence[float], result: float
) -> SafeString:
    """The weighted average of other ratings (section 2)."""
    left = index(R, number("0"))
    weight = index(letter("W"), letter("k"))
    total = sign("∑")
    above = _between(
        [
            row(number(plain(w)), TIMES, number(plain(r)))
            for w, r in zip(weights, ratings, strict=True)
        ],
        "+",
    )
    below = _between([number(plain(w)) for w in weights], "+")
    return both(
        display(
            left,
            EQUALS,
            fraction(
                row(total, weight, index(letter("X"), letter("k"))), row(total, weight)
            ),
        ),
        display(
            left,
            EQUALS,
            fraction(row(*above), row(*below)),
            EQUALS,
            number(plain(result)),
        ),
    )


def special_objective(
    shares: Sequence[str],
    prior_games: float,
    prior_expectancy: float,
    score: float,
    result: float,
) -> SafeString:
    """f(M) = 0 (section 4.1); without N′ the prior takes no part."""
    all_shares = row(OVER_OPPONENTS, PWE, bracketed(M, sign(","), OPPONENT))
    prior_letters = [
        PLUS,
        N_PRIME,
        PWE,
        bracketed(M, sign(","), index(R_PRIME, number("0"))),
    ]
    prior_numbers = [
        PLUS,
        number(plain(prior_games)),
        TIMES,
        number(plain(prior_expectancy, 4)),
    ]
    has_prior = prior_games > 0
    terms = _between([number(share) for share in shares], "+")
    return both(
        display(
            all_shares,
            *(prior_letters if has_prior else []),
            EQUALS,
            S_PRIME if has_prior else S,
        ),
        display(
            *terms,
            *(prior_numbers if has_prior else []),
            EQUALS,
            number(plain(score)),
            sign("at"),
            M,
            EQUALS,
            number(plain(result)),
        ),
    )


def provisional_expectancy(reach: float) -> SafeString:
    """PWe of one game, between its two ends (section 4.1)."""
    return display(
        PWE,
        bracketed(M, sign(","), OPPONENT),
        EQUALS,
        fraction(number("1"), number("2")),
        PLUS,
        fraction(
            row(M, MINUS_SIGN, OPPONENT),
            number(constant(2 * reach)),
        ),
    )


def winning_expectancy(scale: float) -> SafeString:
    """We of one game (section 4.2)."""
    exponent = row(
        MINUS_SIGN,
        bracketed(R, MINUS_SIGN, OPPONENT),
        sign("/"),
        number(constant(scale)),
    )
    return display(
        index(WE, letter("i")),
        EQUALS,
        fraction(number("1"), row(number("1"), PLUS, power(number("10"), exponent))),
    )


def expected_score(shares: Sequence[str], total: str) -> SafeString:
    """E is the sum of the expectancies (section 4.2)."""
    return both(
        display(E, EQUALS, OVER_OPPONENTS, index(WE, letter("i"))),
        display(
            E,
            EQUALS,
            *_between([number(share) for share in shares], "+"),
            EQUALS,
            number(total),
        ),
    )


def k_factor(
    numerator: SafeString, shown: SafeString, worth: float, games: int, result: float
) -> SafeString:
    """K in letters and numbers (section 4.2); the numerator differs above 2200."""
    return both(
        display(K, EQUALS, fraction(numerator, row(N_PRIME, PLUS, GAMES))),
        display(
            K,
            EQUALS,
            fraction(shown, row(number(plain(worth)), PLUS, number(str(games)))),
            EQUALS,
            number(plain(result, 3)),
        ),
    )


def lower_numerator(full: float, formula, rating: SafeString) -> SafeString:
    """The numerator of K for the Regular rating of dual-rated sections above 2200."""
    return row(
        number(constant(full)),
        bracketed(
            number(constant(formula.intercept)),
            MINUS_SIGN,
            number(constant(formula.slope)),
            rating,
        ),
    )


def standard_rating(
    rating: float, k: float, score: str, expected: str, bonus: float, result: str
) -> SafeString:
    """R + K(S − E) + bonus (section 4.2)."""
    left = index(R, letter("s"))
    letters = [R, PLUS, K, bracketed(S, MINUS_SIGN, E)]
    numbers = [
        number(plain(rating)),
        PLUS,
        number(plain(k, 3)),
        bracketed(number(score), MINUS_SIGN, number(expected)),
    ]
    if bonus:
        letters += [PLUS, letter("bonus")]
        numbers += [PLUS, number(plain(bonus))]
    return both(
        display(left, EQUALS, *letters),
        display(left, EQUALS, *numbers, EQUALS, number(result)),
    )


def bonus(
    change: float, multiplier: float, counted: int, threshold: float, result: float
) -> SafeString:
    """max(0, K(S − E) − B√m′) (section 4.2)."""
    letters = [
        K,
        bracketed(S, MINUS_SIGN, E),
        MINUS_SIGN,
        letter("B"),
        root(primed("m")),
    ]
    numbers = [
        number(plain(change)),
        MINUS_SIGN,
        number(constant(multiplier)),
        root(number(str(counted))),
    ]
    difference = [number(plain(change)), MINUS_SIGN, number(plain(threshold))]
    zero = [number("0"), sign(",")]
    biggest = letter("max")
    return both(
        display(letter("bonus"), EQUALS, biggest, bracketed(*zero, *letters)),
        display(
            letter("bonus"),
            EQUALS,
            biggest,
            bracketed(*zero, *numbers),
            EQUALS,
            biggest,
            bracketed(*zero, *difference),
            EQUALS,
            number(plain(result)),
        ),
    )
