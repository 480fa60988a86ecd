from ratings.models.calculation import Calculation, CalculationInputs, RatingChange
from ratings.models.counted_ratings import CountedRatings
from ratings.models.earned_title import EarnedTitle
from ratings.models.grants import (
    Adjustment,
    Ceiling,
    Floor,
    FloorLowering,
    FloorRequest,
)
from ratings.models.laboratory import (
    Experiment,
    ExperimentVariant,
    GamesFile,
    GamesHistory,
)
from ratings.models.life_master import LifeMasterSetAside
from ratings.models.official import (
    ListDraft,
    OfficialList,
    OfficialListFile,
    OfficialRating,
)
from ratings.models.open_data import OpenFile, OpenFilePart
from ratings.models.opening import OpeningEntry, PublishedRating
from ratings.models.player_rating import PlayerRating
from ratings.models.rerate_mark import RerateMark
from ratings.models.run import Run, RunDifference
from ratings.models.signing_key import SigningKey
from ratings.models.systems import SYSTEM_CHOICES, SYSTEM_VALUES

__all__ = [
    "SYSTEM_CHOICES",
    "SYSTEM_VALUES",
    "Adjustment",
    "Calculation",
    "CalculationInputs",
    "Ceiling",
    "CountedRatings",
    "EarnedTitle",
    "Experiment",
    "ExperimentVariant",
    "Floor",
    "FloorLowering",
    "FloorRequest",
    "GamesFile",
    "GamesHistory",
    "LifeMasterSetAside",
    "ListDraft",
    "OfficialList",
    "OfficialListFile",
    "OfficialRating",
    "OpenFile",
    "OpenFilePart",
    "OpeningEntry",
    "PlayerRating",
    "PublishedRating",
    "RatingChange",
    "RerateMark",
    "Run",
    "RunDifference",
    "SigningKey",
]
