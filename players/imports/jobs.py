"""Names of the import jobs."""

from ratings_site.common.jobs.nightly import register_nightly

READ_INTAKE = "players.read_intake"
ENTER_INTAKE = "players.enter_intake"
UNDO_INTAKE = "players.undo_intake"
EMPTY_INTAKES = register_nightly("players.empty_intakes")
