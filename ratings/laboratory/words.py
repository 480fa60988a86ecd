"""Marking words for translation, as the engine does."""

from ratings.engine.words import _ as _
