"""The queues of jobs, which keep slow jobs from delaying others.

A worker serves all of them or some (``manage.py worker --lanes``).
"""

# Rates sections and foreign results.
RATINGS = "ratings"
# Email, notices and other short jobs.
LETTERS = "letters"
# Requests to webhooks, whose receivers may be slow.
WEBHOOKS = "webhooks"
# Minutes and longer: rerates, lists, large files, the laboratory.
LONG = "long"

QUEUES = (RATINGS, LETTERS, WEBHOOKS, LONG)
