"""What a rated match asks of the office: a lower floor (2025 text, section 7)."""

from collections.abc import Iterable

from django.db.models import Q

from events.models import Section
from ratings.engine.floors import lowered_floor
from ratings.ledger.services.lines import rules_of
from ratings.models import Calculation, FloorRequest, RatingChange
from ratings_site.common.audit.services import record


def open_match_requests(
    calculation: Calculation, changes: Iterable[RatingChange]
) -> list[FloorRequest]:
    """Ask the office to lower the floors that held players in a rated match.

    Called in the transaction that makes the lines current. A match asks once for each
    player and system; what is decided stays. A floor that cannot be 100 points lower,
    such as a personal absolute floor, is not asked about.
    """
    section = calculation.section
    rules = rules_of(calculation.rules_day)
    asked = []
    for change in changes:
        floor = change.floor_given
        if not change.floor_request or lowered_floor(int(floor), rules) is None:
            continue
        request = _ask(section, calculation.system, change.player_id, int(floor))
        if request is not None:
            asked.append(request)
    return asked


def _ask(
    section: Section, system: str, player_id: int, floor: int
) -> FloorRequest | None:
    """Open a request, or bring one that waits up to date.

    The request of a number that was merged since is the kept member's.
    """
    mine = Q(player=player_id) | Q(player__merged_into=player_id)
    request = FloorRequest.objects.filter(mine, system=system, section=section).first()
    if request is None:
        request = FloorRequest.objects.create(
            player_id=player_id,
            system=system,
            section=section,
            floor=floor,
            day=section.ends,
            reason="The result of the match would have ended below this floor.",
        )
        record("floor_request.asked_by_match", subject=request, actor=None)
        return request
    is_outdated = (request.floor, request.day) != (floor, section.ends)
    if request.status == FloorRequest.Status.ASKED and is_outdated:
        request.floor, request.day = floor, section.ends
        request.save(update_fields=["floor", "day"])
        return request
    return None
