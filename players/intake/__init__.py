"""Files of records that move in: read, looked at, entered in one act, undone."""
