"""Names of the jobs for FIDE lists, shared by services and workers."""

IMPORT_FIDE_LIST = "players.import_fide_list"
TIDY_FIDE_LISTS = "players.tidy_fide_lists"


def import_job_key(list_id: int) -> str:
    return str(list_id)
