"""Opening entries: ratings taken over from earlier books."""

import hashlib
import json
from collections.abc import Sequence

from django.conf import settings
from django.db import transaction

from ratings.engine import ENGINE_VERSION
from ratings.engine.rules import rules_in_force
from ratings.engine.systems import System
from ratings.models import (
    Calculation,
    OpeningEntry,
    PlayerRating,
    RatingChange,
    Run,
)
from ratings.services.projection import project
from ratings_site.common.audit import record
from ratings_site.common.locks import hold_ratings
from ratings_site.common.models import User


class RatedAlready(Exception):
    """A player has a rating that an opening entry would overwrite."""


def enter_openings(*, entries: Sequence[OpeningEntry], actor: User | None) -> int:
    """Enter unsaved opening entries in the ledger; each begins a player's history.

    Returns how many were entered. A player who is rated already in the system is
    refused, and nothing is entered.
    """
    with transaction.atomic():
        hold_ratings()
        _refuse_rated(entries)
        run, _ = Run.objects.get_or_create(kind=Run.Kind.INCREMENTAL)
        OpeningEntry.objects.bulk_create(entries, batch_size=1000)
        calculations = Calculation.objects.bulk_create(
            [_calculation(entry, run) for entry in entries], batch_size=500
        )
        changes = RatingChange.objects.bulk_create(
            [
                _ledger_line(calculation, entry)
                for calculation, entry in zip(calculations, entries, strict=True)
            ],
            batch_size=500,
        )
        project(changes)
        if entries:
            record(
                "openings.entered",
                subject=run,
                actor=actor,
                reason=entries[0].source,
                facts={"entries": len(entries)},
            )
    return len(entries)


def _refuse_rated(entries: Sequence[OpeningEntry]) -> None:
    rated = PlayerRating.objects.filter(
        player__in=[entry.player_id for entry in entries]
    )
    taken = set(rated.values_list("player_id", "system"))
    for entry in entries:
        if (entry.player_id, entry.system) in taken:
            raise RatedAlready(
                f"{entry.player} is rated already: {System(entry.system).label}. "
                "An opening entry can only begin a history; leave this one out."
            )


def _calculation(entry: OpeningEntry, run: Run) -> Calculation:
    return Calculation(
        run=run,
        system=entry.system,
        opening=entry,
        order_date=entry.as_of,
        order_rank=Calculation.Rank.OPENING,
        order_starts=entry.as_of,
        edition=settings.RATING_EDITION,
        rules_day=entry.as_of,
        age_day=entry.as_of,
        engine_version=ENGINE_VERSION,
        inputs_digest=_digest(entry),
    )


def _digest(entry: OpeningEntry) -> str:
    facts = [
        entry.player_id,
        entry.system,
        entry.as_of.isoformat(),
        entry.rating,
        entry.games,
        entry.record,
        entry.source,
    ]
    return hashlib.sha256(json.dumps(facts).encode()).hexdigest()


def _ledger_line(calculation: Calculation, entry: OpeningEntry) -> RatingChange:
    return RatingChange(
        calculation=calculation,
        player_id=entry.player_id,
        formula=RatingChange.Formula.OPENING,
        post_rating=entry.rating,
        post_games=entry.games,
        record=entry.record,
        wins=entry.wins,
        draws=entry.draws,
        losses=entry.losses,
        three_game_events=entry.three_game_events,
        peak=_peak(entry),
    )


def _peak(entry: OpeningEntry) -> float | None:
    if entry.peak is not None:
        return entry.peak
    established_after = rules_in_force(entry.as_of).established_after
    return entry.rating if entry.games > established_after else None
