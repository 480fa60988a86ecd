"""Impose and end ceilings."""

from datetime import date, timedelta

from django.db import transaction

from ratings.decisions.floors.services.validation import (
    CEILING,
    add_pending_rerate_if_rated,
    member,
    refuse_duplicate,
    refuse_future,
    set_end,
    validate_and_save,
)
from ratings.engine.systems import System
from ratings.models import Ceiling, RerateMark
from ratings_site.common.accounts.permissions import require_permission
from ratings_site.common.audit.services import record
from ratings_site.common.db.locks import lock_ratings
from ratings_site.common.models import User
from ratings_site.common.ui.formatting import format_day


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
    require_permission(actor, CEILING)
    with transaction.atomic():
        lock_ratings()
        refuse_future(starts)
        ceiling = Ceiling(
            player=member(player_id),
            system=system,
            level=level,
            starts=starts,
            ends=ends,
            reason=reason.strip(),
            imposed_by=actor,
        )
        refuse_duplicate(ceiling)
        validate_and_save(ceiling)
        record(
            "ceiling.imposed",
            subject=ceiling,
            actor=actor,
            reason=reason,
            facts={"system": system, "level": level, "starts": starts.isoformat()},
        )
        name = System(system).label
        add_pending_rerate_if_rated(
            starts,
            kind=RerateMark.Kind.CEILING,
            player=ceiling.player,
            system=System(system),
            note=f"{ceiling.player.name} has a {name} ceiling of {level} "
            f"from {format_day(starts)}.",
            actor=actor,
        )
    return ceiling


def end_ceiling(*, ceiling_id: int, ends: date, reason: str, actor: User) -> Ceiling:
    """End a ceiling: *ends* is the last day on which it applies."""
    require_permission(actor, CEILING)
    with transaction.atomic():
        lock_ratings()
        ceiling = Ceiling.objects.select_for_update(of=("self",)).get(pk=ceiling_id)
        set_end(ceiling, ends, reason)
        ceiling.save(update_fields=["ends"])
        record("ceiling.ended", subject=ceiling, actor=actor, reason=reason)
        system = System(ceiling.system)
        add_pending_rerate_if_rated(
            ends + timedelta(days=1),
            kind=RerateMark.Kind.CEILING,
            player=ceiling.player,
            system=system,
            note=f"The {system.label} ceiling {ceiling.level} of "
            f"{ceiling.player.name} holds until {format_day(ends)} only.",
            actor=actor,
        )
    return ceiling
