"""The six systems and the records as database choices."""

from django.db import models

from ratings.engine.cards import Record
from ratings.engine.systems import System

SYSTEM_CHOICES = [(system.value, system.label) for system in System]
SYSTEM_VALUES = [system.value for system in System]
RECORD_CHOICES = [
    (Record.MIXED.value, "Mixed"),
    (Record.ALL_WINS.value, "Only wins"),
    (Record.ALL_LOSSES.value, "Only losses"),
    (Record.NONE.value, "No game"),
]
RECORD_VALUES = [value for value, _ in RECORD_CHOICES]


def system_field() -> models.CharField:
    return models.CharField(max_length=4, choices=SYSTEM_CHOICES)


def record_field(**options: object) -> models.CharField:
    return models.CharField(max_length=10, choices=RECORD_CHOICES, **options)
