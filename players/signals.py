"""What players and events tell what computes ratings from them."""

from django.dispatch import Signal

# Something that ratings rest on has changed after the fact. Arguments: kind (a word of
# ``ratings.models.RerateMark.Kind``), player (or None), section (or None), day (from
# which ratings may change, None: from the player's first event), actor, note (one
# sentence for people). It is sent inside the transaction of the change.
history_changed = Signal()
