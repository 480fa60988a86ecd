from ratings.models.calculation import Calculation, CalculationInputs, RatingChange
from ratings.models.grants import Ceiling, Floor
from ratings.models.opening import OpeningEntry, PublishedRating
from ratings.models.player_rating import PlayerRating
from ratings.models.run import Run
from ratings.models.systems import SYSTEM_CHOICES, SYSTEM_VALUES

__all__ = [
    "SYSTEM_CHOICES",
    "SYSTEM_VALUES",
    "Calculation",
    "CalculationInputs",
    "Ceiling",
    "Floor",
    "OpeningEntry",
    "PlayerRating",
    "PublishedRating",
    "RatingChange",
    "Run",
]
