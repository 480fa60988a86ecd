"""The official ratings that another site is told, with the member's consent."""

from typing import Any

from players.access import get_member_or_404
from ratings.engine.systems import System
from ratings.lists.queries.official import list_history
from ratings_site.common.programs.kinds import register_claims
from ratings_site.common.ui.formatting import ApproximateRating, whole


def rating_claims(member_id: str) -> dict[str, Any]:
    """Return the ratings of the newest official list with the member, as published.

    One that still is the age-based initial rating is left out: it reveals an age.
    """
    newest = list_history(get_member_or_404(member_id), limit=1)
    if not newest:
        return {"official_ratings": None}
    [line] = newest
    ratings = {
        system: whole(value.rating)
        for system in System
        if (value := line.values.get(system))
        and not isinstance(value.rating, ApproximateRating)
    }
    return {"official_ratings": {"month": line.list.slug, "ratings": ratings}}


register_claims("ratings", rating_claims)
