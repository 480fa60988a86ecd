"""Requests to lower a floor by 100 points, and the office's decision on them.

The member or the office can request it; a match result that would have ended below a
floor creates a request automatically (2025 text, section 7).
"""

from django.conf import settings
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from players.models import Player
from ratings.access import can_request_lower_floor
from ratings.decisions.floors.queries.floors import (
    current_floor,
    current_floors,
    numbers_of,
)
from ratings.decisions.floors.services.validation import (
    LOWER,
    FloorRefused,
    add_pending_rerate_if_rated,
    member,
    rated_since,
    validate_and_save,
)
from ratings.engine.floors import lowered_floor
from ratings.engine.rules import Rules, rules_in_force
from ratings.engine.systems import System
from ratings.models import FloorLowering, FloorRequest, RatingChange, RerateMark
from ratings.rerates.services.sources import Hypothesis
from ratings_site.common.accounts.permissions import NotAllowed, require_permission
from ratings_site.common.audit.services import record
from ratings_site.common.db.locks import lock_ratings
from ratings_site.common.models import User
from ratings_site.common.ui.formatting import format_day

# The name of the preview of granting a request.
LOWER_ONE = "floors.lower"


def request_lower_floor(
    *, player_id: int, system: str, reason: str, actor: User
) -> FloorRequest:
    """Request a floor 100 points lower from today on.

    The member can request it, or the office for the member.
    """
    player = member(player_id)
    if not can_request_lower_floor(actor, player):
        raise NotAllowed(_("Only the member and the ratings office can request this."))
    if not reason.strip():
        raise FloorRefused(_("Enter a reason. The office uses it to decide."))
    today = timezone.localdate()
    with transaction.atomic():
        lock_ratings()
        standing = current_floor(player, System(system))
        if standing is None:
            raise FloorRefused(
                _("{name} has no rating in this system.").format(name=player.name)
            )
        rules = rules_in_force(today, settings.RATING_EDITION)
        check_not_too_low(standing.level, rules)
        numbers = numbers_of(player)
        waiting = FloorRequest.objects.open().filter(system=system, section=None)
        if waiting.filter(player__in=numbers).exists():
            raise FloorRefused(_("There is already an open request for this floor."))
        request = FloorRequest(
            player=player,
            system=system,
            floor=standing.level,
            day=today,
            reason=reason.strip(),
            asked_by=actor,
        )
        validate_and_save(request)
        record("floor_request.asked", subject=request, actor=actor, reason=reason)
    return request


def lowerable_systems(player: Player) -> list[System]:
    """Return the systems in which the member's floor can be lowered today."""
    rules = rules_in_force(timezone.localdate(), settings.RATING_EDITION)
    floors = current_floors(player).items()
    return [one for one, floor in floors if lowered_floor(floor.level, rules)]


def check_not_too_low(level: int, rules: Rules) -> int:
    """Return the floor 100 points below; raise FloorRefused if it is too low."""
    lower = lowered_floor(level, rules)
    if lower is None:
        raise FloorRefused(
            _(
                "The floor is {level}. Lowering it by 100 would put it below "
                "{lowest_rating:.0f}, the lowest possible rating (rating system, "
                "section 5)."
            ).format(level=level, lowest_rating=rules.lowest_rating)
        )
    return lower


def decide_floor_request(
    *, request_id: int, is_granted: bool, reason: str, actor: User
) -> FloorRequest:
    """Grant a request (the floor is 100 points lower from its day on) or refuse it.

    A granted request that a match made takes effect from that match.
    """
    require_permission(actor, LOWER)
    if not reason.strip():
        raise FloorRefused(_("Enter a reason. It is saved with the decision."))
    with transaction.atomic():
        lock_ratings()
        request = FloorRequest.objects.select_for_update(of=("self",)).get(
            pk=request_id
        )
        if not request.is_open:
            raise FloorRefused(
                _("This has already been decided: {state}.").format(
                    state=request.get_status_display().lower()
                )
            )
        status = FloorRequest.Status.GRANTED
        request.decide(
            status if is_granted else FloorRequest.Status.REFUSED,
            by=actor,
            reason=reason.strip(),
        )
        validate_and_save(request)
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

    Raises FloorRefused if the floor or the match has changed since the request.
    """
    rules = rules_in_force(request.day, settings.RATING_EDITION)
    lower = check_not_too_low(request.floor, rules)
    if request.section is not None and not _match_still_requests(request):
        raise FloorRefused(
            _(
                "After a rerate, the match no longer ends below this floor. "
                "Decline the request; the member can send a new one."
            )
        )
    standing = current_floor(request.player, System(request.system), on=request.day)
    if standing is None or standing.level != request.floor:
        words = (
            _(
                "The request is for a floor of {floor}, but there is no longer a "
                "floor on {day}. Decline it; the member can send a new one."
            )
            if standing is None
            else _(
                "The request is for a floor of {floor}, but the floor on {day} is "
                "now {level}. Decline it; the member can send a new one."
            )
        )
        level = standing.level if standing else None
        raise FloorRefused(
            words.format(floor=request.floor, day=format_day(request.day), level=level)
        )
    later = FloorLowering.objects.filter(
        player__in=numbers_of(request.player),
        system=request.system,
        starts__gte=request.day,
    ).first()
    if later is not None:
        raise FloorRefused(
            _(
                "This floor was lowered to {level} on {starts}, not before {day}. "
                "Decline the request; the member can send a new one."
            ).format(
                level=later.level,
                starts=format_day(later.starts),
                day=format_day(request.day),
            )
        )
    return FloorLowering(
        player=request.player,
        system=request.system,
        level=lower,
        starts=request.day,
        request=request,
    )


def _match_still_requests(request: FloorRequest) -> bool:
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
    validate_and_save(lowering)
    system = System(request.system)
    is_match = request.section_id is not None
    add_pending_rerate_if_rated(
        lowering.starts,
        kind=RerateMark.Kind.MATCH if is_match else RerateMark.Kind.FLOOR,
        player=request.player,
        section=request.section,
        system=system,
        note=f"The {system.label} floor of {request.player.name} is lowered from "
        f"{request.floor} to {lowering.level} from {lowering.starts.isoformat()}.",
        actor=actor,
    )


def hypothesis_of(lowering: FloorLowering) -> Hypothesis | None:
    """Return the hypothesis that a floor is lowered.

    None if the member has not been rated since its day, so nothing changes.
    """
    numbers = numbers_of(lowering.player)
    if not rated_since(numbers, System(lowering.system), lowering.starts):
        return None
    return Hypothesis(from_day=lowering.starts, lowerings=[lowering])
