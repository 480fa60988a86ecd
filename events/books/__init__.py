"""What was played, as the books keep it: documents, versions, schedules."""
