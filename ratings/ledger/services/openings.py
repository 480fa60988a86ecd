"""Opening entries: ratings imported from earlier records."""

from collections.abc import Sequence

from django.db import transaction
from django.utils.translation import gettext as _

from ratings.engine import ENGINE_VERSION
from ratings.engine.results import peak_after
from ratings.engine.systems import System
from ratings.ledger.services.digests import lines_digest, opening_digest
from ratings.ledger.services.ledger_lines import incremental_run, rules_for_day
from ratings.ledger.services.projection import project
from ratings.ledger.services.rating_order import opening_order_key, order_columns
from ratings.models import (
    Calculation,
    OpeningEntry,
    PlayerRating,
    RatingChange,
    Run,
)
from ratings_site.common.audit.services import record
from ratings_site.common.db.locks import lock_ratings
from ratings_site.common.models import User


class AlreadyRated(Exception):
    """A player has a rating that an opening entry would overwrite."""


def enter_openings(*, entries: Sequence[OpeningEntry], actor: User | None) -> int:
    """Enter unsaved opening entries in the ledger; each begins a player's history.

    Returns how many were entered. If a player is rated already in the system, the whole
    import is refused.
    """
    with transaction.atomic():
        lock_ratings()
        _refuse_rated(entries)
        run = incremental_run()
        OpeningEntry.objects.bulk_create(entries, batch_size=1000)
        lines = [opening_line(entry) for entry in entries]
        calculations = Calculation.objects.bulk_create(
            [
                _calculation(entry, line, run)
                for entry, line in zip(entries, lines, strict=True)
            ],
            batch_size=500,
        )
        for calculation, line in zip(calculations, lines, strict=True):
            line.calculation = calculation
        RatingChange.objects.bulk_create(lines, batch_size=500)
        project(lines)
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
    ).order_by()
    taken = set(rated.values_list("player_id", "system"))
    for entry in entries:
        if (entry.player_id, entry.system) in taken:
            raise AlreadyRated(
                _(
                    "{player} is rated already: {label}. "
                    "An opening entry can only begin a history; leave this one out."
                ).format(player=entry.player, label=System(entry.system).label)
            )


def _calculation(entry: OpeningEntry, line: RatingChange, run: Run) -> Calculation:
    rules = rules_for_day(entry.as_of)
    return Calculation(
        run=run,
        system=entry.system,
        opening=entry,
        edition=rules.edition,
        rules_day=entry.as_of,
        age_day=entry.as_of,
        engine_version=ENGINE_VERSION,
        inputs_digest=lines_digest(
            [line],
            source_digest=opening_digest(entry),
            system=entry.system,
            rules=rules,
        ),
        **order_columns(opening_order_key(entry)),
    )


def opening_line(entry: OpeningEntry) -> RatingChange:
    """Return the unsaved line that begins a history."""
    peak = entry.peak
    if peak is None:
        peak = peak_after(
            None,
            entry.rating,
            entry.games,
            rules_for_day(entry.as_of).established_after,
        )
    return RatingChange(
        player_id=entry.player_id,
        formula=RatingChange.Formula.OPENING,
        post_rating=entry.rating,
        post_games=entry.games,
        record=entry.record,
        wins=entry.wins,
        draws=entry.draws,
        losses=entry.losses,
        three_game_events=entry.three_game_events,
        peak=peak,
    )
