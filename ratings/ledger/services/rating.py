"""Rate one source: a section, a result abroad, an adjustment."""

from django.db import transaction
from django.utils.translation import gettext as _

from events.models import ForeignResult, Section
from ratings.engine.age_starts import remaining_age_start
from ratings.engine.cards import Competitor, Record
from ratings.engine.foreign import rate_foreign_event
from ratings.engine.outcomes import peak_after
from ratings.engine.rules import Rules
from ratings.engine.systems import System
from ratings.ledger.services.cards import floor_of
from ratings.ledger.services.digests import adjustment_digest
from ratings.ledger.services.foreign_facts import (
    ForeignFacts,
    digest_of_foreign,
    foreign_facts,
    regular_games_before,
)
from ratings.ledger.services.lines import (
    UNRATED,
    line_of,
    pre_state,
    rules_of,
    write_calculation,
)
from ratings.ledger.services.marks import leave_mark
from ratings.ledger.services.order import (
    order_columns,
    place_of_adjustment,
    place_of_foreign,
    players_rated_after,
)
from ratings.ledger.services.sections import rate_sections
from ratings.ledger.services.states import LedgerStanding, PlayerState, load_states
from ratings.models import Adjustment, Calculation, RatingChange, RerateMark
from ratings_site.common.audit.services import record
from ratings_site.common.database.locks import hold_ratings
from ratings_site.common.looks.figures import day_in_words


def rate_section(*, section_id: int) -> Section:
    """Rate one accepted section and make the results current.

    Sections of the same event that come before it and still wait are rated first.
    Rating a section that is rated already, or was taken over, changes nothing.
    """
    with transaction.atomic():
        hold_ratings()
        faults = rate_sections([section_id])
        if section_id in faults:
            raise faults[section_id]
        return Section.objects.select_related("event").get(pk=section_id)


class NotEstablished(Exception):
    """Only established Regular ratings are updated from foreign events."""


class NotReady(Exception):
    """Only a foreign result that the office has made ready is rated."""


def rate_foreign_result(*, result_id: int) -> ForeignResult:
    """Rate what one member did in a foreign event (2025 text, section 6).

    The standard formula with its bonus is applied once, from the present rating. A
    member who was established at the event's place in the rating order, and is not
    today, waits for the rerate. Rating a result that is rated already changes nothing.
    Raises NotReady for a draft or one that is left out, and NotEstablished for a member
    without an established Regular rating at that place, whatever was rated since.
    """
    with transaction.atomic():
        hold_ratings()
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
        _rate_abroad(result)
        result.status = ForeignResult.Status.RATED
        result.save(update_fields=["status"])
        record("foreign_result.rated", subject=result, actor=None)
    return result


def _rate_abroad(result: ForeignResult) -> None:
    event, player = result.event, result.player.canonical
    facts = foreign_facts(list(result.games.order_by("round_number", "pk")))
    rules = rules_of(event.starts)
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
        _leave_late_mark(result)
        return
    competitor = foreign_competitor(player.pk, state, facts, rules)
    rated = rate_foreign_event(
        competitor,
        facts.converted(rules, is_youth=event.is_youth),
        rules,
        facts.meetings,
    )
    place = place_of_foreign(result)
    is_late = players_rated_after(place, [player.pk])
    write_calculation(
        [line_of(rated, competitor, before, facts.tally, rules)],
        system=System.OTBR,
        rules=rules,
        source_digest=digest_of_foreign(result, facts),
        foreign=result,
        age_day=event.ends,
        is_late=is_late,
        **order_columns(place),
    )
    if is_late:
        _leave_late_mark(result)


def _leave_late_mark(result: ForeignResult) -> None:
    leave_mark(
        kind=RerateMark.Kind.FOREIGN,
        day=result.event.ends,
        player=result.player.canonical,
        note=f"{result.event} was entered after later events had been rated.",
    )


def foreign_competitor(
    player_id: int, state: PlayerState, facts: ForeignFacts, rules: Rules
) -> Competitor:
    """Return the engine's view of a member before a foreign event."""
    standing = state.standings[System.OTBR]
    return Competitor(
        id=player_id,
        rating=standing.rating,
        games=standing.games,
        record=standing.record,
        floor=floor_of(state, standing, facts.tally, system=System.OTBR, rules=rules),
        ceiling=state.ceilings.get(System.OTBR),
    )


def apply_adjustment(*, adjustment_id: int) -> Calculation | None:
    """Make an adjustment the player's current rating, and return its calculation.

    If the player has been rated for something later already, the adjustment waits for
    the rerate: it leaves a mark, and None is returned.
    """
    with transaction.atomic():
        hold_ratings()
        adjustment = Adjustment.objects.select_related("player").get(pk=adjustment_id)
        place = place_of_adjustment(adjustment)
        player, system = adjustment.player, System(adjustment.system)
        if players_rated_after(place, [player.pk]):
            leave_mark(
                kind=RerateMark.Kind.ADJUSTMENT,
                day=adjustment.day,
                player=player,
                actor=adjustment.decided_by,
                note=f"The {system.label} rating of {player} was adjusted by the "
                f"office as of {day_in_words(adjustment.day)}.",
            )
            return None
        states = load_states([player.pk], day=adjustment.day)
        rules = rules_of(adjustment.day)
        before = states[player.pk].standings.get(system)
        return write_calculation(
            [adjusted_line(adjustment, before, rules)],
            system=system,
            rules=rules,
            source_digest=adjustment_digest(adjustment),
            adjustment=adjustment,
            age_day=adjustment.day,
            **order_columns(place),
        )


def adjusted_line(
    adjustment: Adjustment, before: LedgerStanding | None, rules: Rules
) -> RatingChange:
    """Return the line that sets rating and games; what was counted so far stays."""
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
