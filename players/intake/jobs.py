"""The names of the jobs with files that move in."""

from ratings_site.common.jobs.nightly import every_night

READ_INTAKE = "players.read_intake"
ENTER_INTAKE = "players.enter_intake"
UNDO_INTAKE = "players.undo_intake"
EMPTY_INTAKES = every_night("players.empty_intakes")
