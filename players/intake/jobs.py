"""The names of the jobs with files that move in."""

READ_INTAKE = "players.read_intake"
ENTER_INTAKE = "players.enter_intake"
UNDO_INTAKE = "players.undo_intake"
