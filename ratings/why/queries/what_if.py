"""What one result more or less would have done to a rating, in a sentence each."""

from collections.abc import Callable, Mapping
from dataclasses import replace

from django.utils.translation import gettext_lazy

from ratings.engine.cards import Game, PlayerId, SectionCard
from ratings.engine.explanation import explain
from ratings.engine.rules import Rules
from ratings.why.queries.steps import Person
from ratings_site.common.looks.figures import in_words

# By half points before and after: what the sentence says.
SENTENCES = {
    (0, 1): gettext_lazy(
        "Had the game lost to {name} been drawn, the rating would be {rating}."
    ),
    (1, 2): gettext_lazy(
        "Had the draw with {name} been a win, the rating would be {rating}."
    ),
    (2, 1): gettext_lazy(
        "Had the win against {name} been a draw, the rating would be {rating}."
    ),
    (1, 0): gettext_lazy(
        "Had the draw with {name} been lost, the rating would be {rating}."
    ),
}


def what_if(
    card: SectionCard,
    rules: Rules,
    player: PlayerId,
    people: Mapping[PlayerId, Person],
    whole: Callable[[float], float],
) -> list[str]:
    """Rate again with half a point more, and with half a point less.

    The first game is changed in which there was half a point to win, or to lose. It is
    the true engine, so bonus, floors and everybody's second pass take part.
    *whole* returns a rating of the player as the reader may see it.
    """
    sentences = []
    for step in (1, -1):
        place = _first_that_bears(card, player, step)
        if place is not None:
            again = explain(_with(card, place, player, step), rules, player)
            rating = in_words(whole(again.post or 0.0))
            sentences.append(_sentence(card.games[place], player, people, step, rating))
    return sentences


def _first_that_bears(card: SectionCard, player: PlayerId, step: int) -> int | None:
    for place, game in enumerate(card.games):
        if player in (game.a, game.b) and _score(game, player) + step in (0, 1, 2):
            return place
    return None


def _score(game: Game, player: PlayerId) -> int:
    return game.score_a if game.a == player else game.score_b


def _with(card: SectionCard, place: int, player: PlayerId, step: int) -> SectionCard:
    """Return the card with one game changed."""
    games = list(card.games)
    games[place] = _changed(games[place], player, step)
    return replace(card, games=tuple(games))


def _sentence(
    game: Game,
    player: PlayerId,
    people: Mapping[PlayerId, Person],
    step: int,
    rating: str,
) -> str:
    score = _score(game, player)
    other = game.b if game.a == player else game.a
    sentence = str(SENTENCES[score, score + step])
    return sentence.format(name=people[other].name, rating=rating)


def _changed(game: Game, player: PlayerId, step: int) -> Game:
    """Return the game with the half point on the other side."""
    ours = step if game.a == player else -step
    theirs = max(0, min(2, game.score_b - ours))
    return replace(game, score_a=max(0, min(2, game.score_a + ours)), score_b=theirs)
