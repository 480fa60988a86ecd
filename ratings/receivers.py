"""What ratings hears from players and events."""

from django.dispatch import receiver

from events.models import Section
from events.signals import section_ready
from players.registry import affected_by_rating, merge_facts, merge_refusals
from players.signals import history_changed
from ratings.ledger.queries.merging import (
    ratings_to_compare,
    started_since,
    who_both_played_abroad_cannot_be_one,
    who_met_cannot_be_one,
)
from ratings.ledger.services.marks import leave_mark
from ratings.ledger.tasks import enqueue_rating

merge_refusals += [who_met_cannot_be_one, who_both_played_abroad_cannot_be_one]
merge_facts.append(ratings_to_compare)
affected_by_rating.append(started_since)


@receiver(section_ready)
def rate_when_ready(section: Section, **_: object) -> None:
    enqueue_rating(section)


@receiver(history_changed)
def mark_for_rerate(
    *,
    kind: str,
    day: object = None,
    note: str,
    player: object = None,
    section: object = None,
    actor: object = None,
    **_: object,
) -> None:
    leave_mark(
        kind=kind, day=day, note=note, player=player, section=section, actor=actor
    )
