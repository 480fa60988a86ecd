"""Floor requests from rated matches (2025 text, section 7)."""

from collections.abc import Iterable

from django.db.models import Q

from events.models import Section
from ratings.engine.floors import lowered_floor
from ratings.ledger.services.ledger_lines import rules_for_day
from ratings.models import Calculation, FloorRequest, RatingChange
from ratings_site.common.audit.services import record


def open_match_requests(
    calculation: Calculation, changes: Iterable[RatingChange]
) -> list[FloorRequest]:
    """Open requests to lower the floors that applied in a rated match.

    Call it in the transaction that makes the lines current. A match opens one request
    for each player and system; a decided one does not change. There is none for a floor
    that cannot be 100 points lower, such as a personal absolute floor.
    """
    section = calculation.section
    assert section is not None  # noqa: S101 (a match is a section)
    rules = rules_for_day(calculation.rules_day)
    asked = []
    for change in changes:
        floor = change.floor_given
        if not change.floor_request or floor is None:
            continue
        if lowered_floor(int(floor), rules) is None:
            continue
        request = _ask(section, calculation.system, change.player_id, int(floor))
        if request is not None:
            asked.append(request)
    return asked


def _ask(
    section: Section, system: str, player_id: int, floor: int
) -> FloorRequest | None:
    """Open a request, or update a pending one.

    The request of a number that was merged belongs to the kept member.
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
