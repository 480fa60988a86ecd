"""The queues in which jobs wait, so that what is slow keeps nobody else waiting.

A worker serves all of them or some (``manage.py worker --lanes``).
"""

# Sections and results abroad to be rated: one after the other, and at once.
RATINGS = "ratings"
# Mail, notices and all else that takes a moment; the sweep wakes the others.
LETTERS = "letters"
# Messages to other people's programs, which may take their time.
WEBHOOKS = "webhooks"
# Minutes and more: rerates, lists, large files, the laboratory.
LONG = "long"

LANES = (RATINGS, LETTERS, WEBHOOKS, LONG)
