"""Records of accepted events: documents, versions, schedules."""
