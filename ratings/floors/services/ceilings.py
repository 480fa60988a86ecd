"""Impose and end ceilings."""

from datetime import date, timedelta

from django.db import transaction

from ratings.engine.systems import System
from ratings.floors.services.shared import (
    CEILING,
    mark_if_rated_since,
    member,
    refuse_future,
    refuse_same,
    save_checked,
    set_end,
)
from ratings.models import Ceiling, RerateMark
from ratings_site.common.accounts.permissions import require
from ratings_site.common.audit.services import record
from ratings_site.common.database.locks import hold_ratings
from ratings_site.common.looks.figures import day_in_words
from ratings_site.common.models import User


def impose_ceiling(
    *,
    player_id: int,
    system: str,
    level: int,
    starts: date,
    reason: str,
    actor: User,
    ends: date | None = None,
) -> Ceiling:
    """Impose a level above which a rating may not rise (the Executive Director)."""
    require(actor, CEILING)
    with transaction.atomic():
        hold_ratings()
        refuse_future(starts, "A ceiling")
        ceiling = Ceiling(
            player=member(player_id),
            system=system,
            level=level,
            starts=starts,
            ends=ends,
            reason=reason.strip(),
            imposed_by=actor,
        )
        refuse_same(ceiling)
        save_checked(ceiling)
        record(
            "ceiling.imposed",
            subject=ceiling,
            actor=actor,
            reason=reason,
            facts={"system": system, "level": level, "starts": starts.isoformat()},
        )
        name = System(system).label
        mark_if_rated_since(
            starts,
            kind=RerateMark.Kind.CEILING,
            player=ceiling.player,
            system=System(system),
            note=f"{ceiling.player.name} has a {name} ceiling of {level} "
            f"from {day_in_words(starts)}.",
            actor=actor,
        )
    return ceiling


def end_ceiling(*, ceiling_id: int, ends: date, reason: str, actor: User) -> Ceiling:
    """End a ceiling: *ends* is the last day on which it holds."""
    require(actor, CEILING)
    with transaction.atomic():
        hold_ratings()
        ceiling = Ceiling.objects.select_for_update(of=("self",)).get(pk=ceiling_id)
        set_end(ceiling, ends, reason)
        ceiling.save(update_fields=["ends"])
        record("ceiling.ended", subject=ceiling, actor=actor, reason=reason)
        system = System(ceiling.system)
        mark_if_rated_since(
            ends + timedelta(days=1),
            kind=RerateMark.Kind.CEILING,
            player=ceiling.player,
            system=system,
            note=f"The {system.label} ceiling {ceiling.level} of "
            f"{ceiling.player.name} holds until {day_in_words(ends)} only.",
            actor=actor,
        )
    return ceiling
