"""Rate one source: a section, a foreign result, an adjustment or opening entries."""

from collections.abc import Sequence

from django.db import transaction
from django.utils.translation import gettext as _

from events.models import ForeignResult, Section
from ratings.engine.age_based_start import remaining_age_start
from ratings.engine.foreign import rate_foreign_event
from ratings.engine.inputs import Competitor, Record
from ratings.engine.results import peak_after
from ratings.engine.rules import Rules
from ratings.engine.systems import System
from ratings.ledger.services.digests import adjustment_digest, opening_digest
from ratings.ledger.services.foreign_facts import (
    ForeignFacts,
    foreign_facts,
    foreign_result_digest,
    regular_games_before,
)
from ratings.ledger.services.ledger_lines import (
    ComputedCalculation,
    build_calculation,
    incremental_run,
    line_values,
    pre_state,
    rules_for_day,
    write_calculation,
    write_calculations,
)
from ratings.ledger.services.pending_rerates import add_pending_rerate
from ratings.ledger.services.player_states import (
    UNRATED,
    PlayerState,
    RatingState,
    load_states,
)
from ratings.ledger.services.rating_inputs import build_competitor
from ratings.ledger.services.rating_order import (
    adjustment_order_key,
    foreign_order_key,
    opening_order_key,
    players_rated_after,
)
from ratings.ledger.services.sections import rate_sections
from ratings.models import (
    Adjustment,
    Calculation,
    OpeningEntry,
    PlayerRating,
    RatingChange,
    RerateMark,
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
        write_calculations([_computed(entry, run) for entry in entries])
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


def _computed(entry: OpeningEntry, run: Run) -> ComputedCalculation:
    return build_calculation(
        [opening_line(entry)],
        run=run,
        system=entry.system,
        rules=rules_for_day(entry.as_of),
        source_digest=opening_digest(entry),
        opening=entry,
        place=opening_order_key(entry),
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


def rate_section(*, section_id: int) -> Section:
    """Rate one accepted section and make the results current.

    Earlier sections of the same event that are not rated yet are rated first. Rating a
    section that is rated already, or was imported, changes nothing.
    """
    with transaction.atomic():
        lock_ratings()
        faults = rate_sections([section_id])
        if section_id in faults:
            raise faults[section_id]
        return Section.objects.select_related("event").get(pk=section_id)


class NotEstablished(Exception):
    """Only established Regular ratings are updated from foreign events."""


class NotReady(Exception):
    """Only a foreign result that is marked ready is rated."""


def rate_foreign_result(*, result_id: int) -> ForeignResult:
    """Rate one member's result in a foreign event (2025 text, section 6).

    The standard formula with its bonus is applied once, from the current rating. A
    member who was established at the event's place in the rating order, and is not
    today, is left for the rerate. Rating a result that is rated already changes
    nothing. Raises NotReady for a draft or an excluded result, and NotEstablished for a
    member without an established Regular rating at that place.
    """
    with transaction.atomic():
        lock_ratings()
        result = (
            ForeignResult.objects.select_for_update(of=("self",))
            .select_related("event", "player__merged_into")
            .get(pk=result_id)
        )
        if result.status == ForeignResult.Status.RATED:
            return result
        if result.status != ForeignResult.Status.READY:
            state = result.get_status_display().lower()
            raise NotReady(
                _("{result} is not ready to be rated: it is {state}.").format(
                    result=result, state=state
                )
            )
        _rate_foreign(result)
        result.status = ForeignResult.Status.RATED
        result.save(update_fields=["status"])
        record("foreign_result.rated", subject=result, actor=None)
    return result


def _rate_foreign(result: ForeignResult) -> None:
    event, player = result.event, result.player.canonical
    facts = foreign_facts(list(result.games.order_by("round_number", "pk")))
    rules = rules_for_day(event.starts)
    least = rules.established_after
    if (regular_games_before([result])[result.pk] or 0) <= least:
        raise NotEstablished(
            _("{player} had no established Regular rating at this event.").format(
                player=player
            )
        )
    state = load_states([player.pk], day=event.ends)[player.pk]
    before = state.standings.get(System.OTBR)
    if before is None or before.games <= least:
        _add_late_pending_rerate(result)
        return
    line = foreign_line(player.pk, state, facts, rules, is_youth=event.is_youth)
    place = foreign_order_key(result)
    is_late = players_rated_after(place, [player.pk])
    write_calculation(
        [line],
        system=System.OTBR,
        rules=rules,
        source_digest=foreign_result_digest(result, facts),
        foreign=result,
        place=place,
        is_late=is_late,
    )
    if is_late:
        _add_late_pending_rerate(result)


def _add_late_pending_rerate(result: ForeignResult) -> None:
    add_pending_rerate(
        kind=RerateMark.Kind.FOREIGN,
        day=result.event.ends,
        player=result.player.canonical,
        note=f"{result.event} was entered after later events had been rated.",
    )


def foreign_line(
    player_id: int,
    state: PlayerState,
    facts: ForeignFacts,
    rules: Rules,
    *,
    is_youth: bool,
) -> RatingChange:
    """Return the unsaved line of a member's games abroad, from this state."""
    system = System.OTBR
    competitor = build_competitor(
        player_id, state, facts.tally, day=rules.day, system=system, rules=rules
    )
    before = state.standings[system]
    return rated_foreign_line(competitor, before, facts, rules, is_youth=is_youth)


def rated_foreign_line(
    competitor: Competitor,
    before: RatingState | None,
    facts: ForeignFacts,
    rules: Rules,
    *,
    is_youth: bool,
) -> RatingChange:
    opponents = facts.converted(rules, is_youth=is_youth)
    rated = rate_foreign_event(competitor, opponents, rules, facts.meetings)
    values = line_values(rated, competitor, before, facts.tally, rules)
    return RatingChange(**values)


def apply_adjustment(*, adjustment_id: int) -> Calculation | None:
    """Make an adjustment the player's current rating, and return its calculation.

    If the player has later ratings already, the adjustment is left for the rerate: it
    adds a pending rerate, and None is returned.
    """
    with transaction.atomic():
        lock_ratings()
        adjustment = Adjustment.objects.select_related("player").get(pk=adjustment_id)
        place = adjustment_order_key(adjustment)
        player, system = adjustment.player, System(adjustment.system)
        if players_rated_after(place, [player.pk]):
            add_pending_rerate(
                kind=RerateMark.Kind.ADJUSTMENT,
                day=adjustment.day,
                player=player,
                actor=adjustment.decided_by,
                note=f"The {system.label} rating of {player} was adjusted by the "
                f"office as of {adjustment.day.isoformat()}.",
            )
            return None
        states = load_states([player.pk], day=adjustment.day)
        rules = rules_for_day(adjustment.day)
        before = states[player.pk].standings.get(system)
        return write_calculation(
            [adjusted_line(adjustment, before, rules)],
            system=system,
            rules=rules,
            source_digest=adjustment_digest(adjustment),
            adjustment=adjustment,
            place=place,
        )


def adjusted_line(
    adjustment: Adjustment, before: RatingState | None, rules: Rules
) -> RatingChange:
    """Return the line that sets rating and games; the counts so far do not change."""
    counts = before or UNRATED
    return RatingChange(
        player_id=adjustment.player_id,
        **pre_state(before),
        formula=RatingChange.Formula.ADJUSTMENT,
        post_rating=adjustment.rating,
        post_games=adjustment.games,
        record=Record.MIXED if counts.record is Record.NONE else counts.record,
        wins=counts.wins,
        draws=counts.draws,
        losses=counts.losses,
        three_game_events=counts.three_game_events,
        peak=peak_after(
            counts.peak, adjustment.rating, adjustment.games, rules.established_after
        ),
        age_start=remaining_age_start(
            adjustment.rating, [] if counts.age_start is None else [counts.age_start]
        ),
    )
