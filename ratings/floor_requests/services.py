"""Requests to lower a floor by 100 points, and the office's decision on them.

A member may ask, and the office for them; a match result that would have ended below a
floor asks by itself (2025 text, section 7).
"""

from django.conf import settings
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from ratings.access import may_ask_to_lower
from ratings.engine.floors import lowered_floor
from ratings.engine.rules import Rules, rules_in_force
from ratings.engine.systems import System
from ratings.floors.queries.floors import floor_now, numbers_of
from ratings.floors.services.shared import (
    LOWER,
    FloorRefused,
    mark_if_rated_since,
    member,
    rated_since,
    save_checked,
)
from ratings.models import FloorLowering, FloorRequest, RatingChange, RerateMark
from ratings.rerates.services.what_if import Differences, Hypothesis, simulate
from ratings_site.common.accounts.permissions import NotAllowed, require
from ratings_site.common.audit.services import record
from ratings_site.common.database.locks import hold_ratings
from ratings_site.common.looks.figures import day_in_words
from ratings_site.common.models import User

# The name under which it is asked what granting a request does.
LOWER_ONE = "floors.lower"


def request_lower_floor(
    *, player_id: int, system: str, reason: str, actor: User
) -> FloorRequest:
    """Ask for a floor to be lowered by 100 points from today on.

    The member may ask, and the office for them.
    """
    player = member(player_id)
    if not may_ask_to_lower(actor, player):
        raise NotAllowed(_("Only the member and the ratings office may ask for this."))
    if not reason.strip():
        raise FloorRefused(_("Say why; the office decides on this reason."))
    today = timezone.localdate()
    with transaction.atomic():
        hold_ratings()
        standing = floor_now(player, System(system))
        if standing is None:
            raise FloorRefused(
                _("{name} has no rating in this system.").format(name=player.name)
            )
        rules = rules_in_force(today, settings.RATING_EDITION)
        refuse_too_low(standing.level, rules)
        request = FloorRequest(
            player=player,
            system=system,
            floor=standing.level,
            day=today,
            reason=reason.strip(),
            asked_by=actor,
        )
        save_checked(request)
        record("floor_request.asked", subject=request, actor=actor, reason=reason)
    return request


def refuse_too_low(level: int, rules: Rules) -> None:
    if lowered_floor(level, rules) is None:
        raise FloorRefused(
            _(
                "The floor is {level}, and 100 points lower it would be under "
                "{lowest_rating:.0f}, the lowest rating there is "
                "(rating system, section 5)."
            ).format(level=level, lowest_rating=rules.lowest_rating)
        )


def decide_floor_request(
    *, request_id: int, is_granted: bool, reason: str, actor: User
) -> FloorRequest:
    """Grant a request (the floor is 100 points lower from its day on) or refuse it.

    A granted request that a match made takes effect from that match.
    """
    require(actor, LOWER)
    if not reason.strip():
        raise FloorRefused(_("Say why; the reason is kept with the decision."))
    with transaction.atomic():
        hold_ratings()
        request = FloorRequest.objects.select_for_update(of=("self",)).get(
            pk=request_id
        )
        if request.status != FloorRequest.Status.ASKED:
            raise FloorRefused(
                _("This is decided already: {state}.").format(
                    state=request.get_status_display().lower()
                )
            )
        status = FloorRequest.Status.GRANTED
        request.status = status if is_granted else FloorRequest.Status.REFUSED
        request.decided_by = actor
        request.decided_at = timezone.now()
        request.decision_reason = reason.strip()
        save_checked(request)
        if is_granted:
            _lower(request, actor)
        record(
            f"floor_request.{request.status}",
            subject=request,
            actor=actor,
            reason=reason,
        )
    return request


def lowering_of(request: FloorRequest) -> FloorLowering:
    """Return the unsaved lowering that granting a request would make.

    Raises FloorRefused if floor or match have changed since it was asked for.
    """
    rules = rules_in_force(request.day, settings.RATING_EDITION)
    refuse_too_low(request.floor, rules)
    if request.section is not None and not _match_still_asks(request):
        raise FloorRefused(
            _(
                "Since a rerate the match does not end below this floor any more. "
                "Refuse "
                "the request; the member can make a new one."
            )
        )
    standing = floor_now(request.player, System(request.system), on=request.day)
    if standing is None or standing.level != request.floor:
        words = (
            _(
                "The request is about a floor of {floor}, but on {day} there is no "
                "floor now. Refuse it; a new one can be made."
            )
            if standing is None
            else _(
                "The request is about a floor of {floor}, but on {day} there is a "
                "floor of {level} now. Refuse it; a new one can be made."
            )
        )
        level = standing.level if standing else None
        raise FloorRefused(
            words.format(
                floor=request.floor, day=day_in_words(request.day), level=level
            )
        )
    later = FloorLowering.objects.filter(
        player__in=numbers_of(request.player),
        system=request.system,
        starts__gte=request.day,
    ).first()
    if later is not None:
        raise FloorRefused(
            _(
                "This floor was lowered to {level} on {starts}, "
                "not before {day}. Refuse the request; a new one can "
                "be made."
            ).format(
                level=later.level,
                starts=day_in_words(later.starts),
                day=day_in_words(request.day),
            )
        )
    return FloorLowering(
        player=request.player,
        system=request.system,
        level=lowered_floor(request.floor, rules),
        starts=request.day,
        request=request,
    )


def _match_still_asks(request: FloorRequest) -> bool:
    lines = RatingChange.objects.filter(
        player__in=numbers_of(request.player),
        calculation__section=request.section,
        calculation__system=request.system,
        calculation__is_current=True,
    )
    return lines.filter(floor_request=True).exists()


def _lower(request: FloorRequest, actor: User) -> None:
    lowering = lowering_of(request)
    lowering.reason = request.decision_reason
    lowering.decided_by = actor
    save_checked(lowering)
    system = System(request.system)
    is_match = request.section_id is not None
    mark_if_rated_since(
        lowering.starts,
        kind=RerateMark.Kind.MATCH if is_match else RerateMark.Kind.FLOOR,
        player=request.player,
        section=request.section,
        system=system,
        note=f"The {system.label} floor of {request.player.name} is lowered from "
        f"{request.floor} to {lowering.level} from {day_in_words(lowering.starts)}.",
        actor=actor,
    )


def effect_of_granting(lowering: FloorLowering) -> Differences | None:
    """Return what ratings a lowering would change, without changing any.

    None if the member has not been rated since its day: then nothing changes.
    """
    numbers = numbers_of(lowering.player)
    if not rated_since(numbers, System(lowering.system), lowering.starts):
        return None
    return simulate(Hypothesis(from_day=lowering.starts, lowerings=[lowering]))
