"""What one result more or less would have done to a rating, in a sentence each."""

from collections.abc import Mapping
from dataclasses import replace

from django.utils.translation import gettext_lazy

from ratings.engine.cards import Game, PlayerId, SectionCard
from ratings.engine.explanation import explain
from ratings.engine.numbers import official
from ratings.engine.rules import Rules
from ratings.why.queries.steps import Person

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
    card: SectionCard, rules: Rules, player: PlayerId, people: Mapping[PlayerId, Person]
) -> list[str]:
    """Rate again with half a point more, and with half a point less.

    The first game is changed in which there was half a point to win, or to lose. It is
    the true engine, so bonus, floors and everybody's second pass take part.
    """
    sentences = []
    for step in (1, -1):
        place = _first_that_bears(card, player, step)
        if place is not None:
            sentences.append(_sentence(card, rules, player, people, place, step))
    return sentences


def _first_that_bears(card: SectionCard, player: PlayerId, step: int) -> int | None:
    for place, game in enumerate(card.games):
        if player in (game.a, game.b) and _score(game, player) + step in (0, 1, 2):
            return place
    return None


def _score(game: Game, player: PlayerId) -> int:
    return game.score_a if game.a == player else game.score_b


def _sentence(
    card: SectionCard,
    rules: Rules,
    player: PlayerId,
    people: Mapping[PlayerId, Person],
    place: int,
    step: int,
) -> str:
    game = card.games[place]
    score = _score(game, player)
    other = game.b if game.a == player else game.a
    games = (
        *card.games[:place],
        _changed(game, player, step),
        *card.games[place + 1 :],
    )
    again = explain(replace(card, games=games), rules, player)
    said = {"name": people[other].name, "rating": official(again.post or 0)}
    return str(SENTENCES[score, score + step]).format(**said)


def _changed(game: Game, player: PlayerId, step: int) -> Game:
    """Return the game with the half point on the other side."""
    ours = step if game.a == player else -step
    theirs = max(0, min(2, game.score_b - ours))
    return replace(game, score_a=max(0, min(2, game.score_a + ours)), score_b=theirs)
