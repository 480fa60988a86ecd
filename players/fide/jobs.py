"""The names of the jobs with FIDE lists: those who queue them and those who do them."""

IMPORT_FIDE_LIST = "players.import_fide_list"
TIDY_FIDE_LISTS = "players.tidy_fide_lists"


def import_job_key(list_id: int) -> str:
    return str(list_id)
