"""Marking words for translation, as the engine does."""

from ratings.engine.i18n import _ as _
