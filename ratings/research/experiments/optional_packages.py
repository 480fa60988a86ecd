"""Rating systems of optional packages, to compare our own with: the extra `compare`.

They are only used for published cases, by `manage.py laboratory vectors`. A package
that is not installed raises `PackageMissing`, and its cases count as skipped.
"""

import warnings
from collections.abc import Mapping
from importlib import import_module
from typing import Any

from ratings.laboratory.cases import Case

EXTRA = "compare"


class PackageMissing(ImportError):
    """A package that a case needs is not installed; the message names it."""


def optional(module: str, package: str) -> Any:
    """Import *module* of an optional *package*. Raises PackageMissing.

    >>> optional("no_such_module", "no-such-package")
    Traceback (most recent call last):
        ...
    ratings.research.experiments.optional_packages.PackageMissing: needs the package \
no-such-package, which the extra “compare” installs
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        raise PackageMissing(
            f"needs the package {package}, which the extra “{EXTRA}” installs"
        ) from error


def trueskill_case(inputs: Mapping[str, Any]) -> Mapping[str, Any]:
    """One game between two new players, won and drawn (package trueskill)."""
    package = optional("trueskill", "trueskill")
    known = ("mu", "sigma", "beta", "tau", "draw_probability")
    world = package.TrueSkill(**{key: inputs[key] for key in known if key in inputs})
    winner, loser = world.rate_1vs1(world.create_rating(), world.create_rating())
    drawn, _ = world.rate_1vs1(world.create_rating(), world.create_rating(), drawn=True)
    return {"winner": _pair(winner), "loser": _pair(loser), "both": _pair(drawn)}


def _pair(rating: Any) -> list[float]:
    return [rating.mu, rating.sigma]


def whole_history_case(inputs: Mapping[str, Any]) -> Mapping[str, Any]:
    """All players' ratings by day (package whole-history-rating)."""
    package = optional("whr", "whole-history-rating")
    config = inputs.get("config")
    pool = package.WHR(config if isinstance(config, dict) else None)
    games = inputs["games_black_white_winner_day"]
    for black, white, winner, day in games:
        pool.create_game(black, white, winner, day, 0)
    with warnings.catch_warnings():
        # The package warns about its settings; the case says which ones to use.
        warnings.simplefilter("ignore")
        pool.iterate(inputs["iterate"])
    names = dict.fromkeys(name for game in games for name in game[:2])
    return {
        name: [rating for _day, rating, *_ in pool.ratings_for_player(name)]
        for name in names
    }


PACKAGE_CASES: Mapping[str, Case] = {
    "trueskill": trueskill_case,
    "whr": whole_history_case,
}
