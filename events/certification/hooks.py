"""The TD level that another site is told, with the member's consent."""

from typing import Any

from django.utils import timezone

from events.access import td_records
from ratings_site.common.programs.kinds import register_claims


def td_claims(member_id: str) -> dict[str, Any]:
    """Return the level of a valid certification, or null."""
    official = td_records(member_id=member_id).first()
    is_valid = official and official.is_certified_on(timezone.localdate())
    return {"td_level": official.level if official and is_valid else None}


register_claims("td_level", td_claims)
