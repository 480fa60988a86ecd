"""The effect of a better and of a worse result on a rating, in a sentence each."""

from collections.abc import Callable, Mapping
from dataclasses import replace

from django.utils.translation import gettext_lazy as _

from ratings.engine.explanation import explain
from ratings.engine.inputs import Game, PlayerId, RatingInput
from ratings.engine.rules import Rules
from ratings.pages.why.queries.steps import Person
from ratings_site.common.ui.formatting import format_rating

# The sentences by half points before and after.
SENTENCES = {
    (0, 1): _("A draw instead of the loss to {name} would have meant {rating}."),
    (1, 2): _("A win instead of the draw with {name} would have meant {rating}."),
    (2, 1): _("A draw instead of the win against {name} would have meant {rating}."),
    (1, 0): _("A loss instead of the draw with {name} would have meant {rating}."),
}


def what_if(
    rating_input: RatingInput,
    rules: Rules,
    player: PlayerId,
    people: Mapping[PlayerId, Person],
    whole: Callable[[float], float],
) -> list[str]:
    """Recompute the rating with half a point more, and with half a point less.

    The first game with half a point to win or to lose is changed. The engine computes
    the whole section, with bonus, floors and the second pass of all players. *whole*
    returns a rating of the player as the reader may see it.
    """
    sentences, games = [], rating_input.games
    for step in (1, -1):
        changeable = (
            place
            for place, game in enumerate(games)
            if player in (game.a, game.b) and 0 <= _score(game, player) + step <= 2
        )
        place = next(changeable, None)
        if place is None:
            continue
        game = games[place]
        changed = (*games[:place], _change(game, player, step), *games[place + 1 :])
        again = explain(replace(rating_input, games=changed), rules, player)
        score = _score(game, player)
        sentences.append(
            str(SENTENCES[score, score + step]).format(
                name=people[game.b if game.a == player else game.a].name,
                rating=format_rating(whole(again.post or 0.0)),
            )
        )
    return sentences


def _score(game: Game, player: PlayerId) -> int:
    return game.score_a if game.a == player else game.score_b


def _change(game: Game, player: PlayerId, step: int) -> Game:
    """Return the game with half a point moved to the other player."""
    ours = step if game.a == player else -step
    theirs = max(0, min(2, game.score_b - ours))
    return replace(game, score_a=max(0, min(2, game.score_a + ours)), score_b=theirs)
