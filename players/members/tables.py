"""The table of found members."""

from dataclasses import dataclass

from django.urls import reverse
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from players.members.queries import BY_NAME
from players.models import Player
from ratings_site.common.templatetags.office import rating
from ratings_site.common.ui.formatting import ApproximateRating
from ratings_site.common.ui.tables import Table, column, csv_fields


@dataclass(frozen=True, slots=True)
class FoundPlayer:
    """A row of the results; it reveals nothing about a member's age."""

    player: Player
    membership: str
    rating: float | None


class PlayerTable(Table):
    """Found members, best matches first."""

    caption = _("Search results")
    row_header = "name"
    tiebreak = BY_NAME
    csv_columns = csv_fields(
        "",
        member_id="player__member_id",
        name="player__name",
        state="player__state",
        regular=lambda row: None if row.rating is None else int(row.rating),
        about=lambda row: "Y" if isinstance(row.rating, ApproximateRating) else "",
        membership="membership",
    )

    name = column(
        _("Name"),
        "name",
        accessor="player__name",
        order_by=BY_NAME[:2],
        linkify=lambda record: record.player.get_absolute_url(),
    )
    member_id = column(
        _("Member ID"), "tnum", accessor="player__member_id", order_by="member_id"
    )
    state = column(_("State"), "wide-only", accessor="player__state", order_by="state")
    rating = column(_("Regular"), "num", empty_values=(), orderable=False)
    membership = column(_("Membership"), "quiet wide-only", orderable=False)
    record = column(
        _("Record"),
        accessor="player__member_id",
        orderable=False,
        linkify=lambda record: reverse(
            "ratings:member", args=[record.player.member_id]
        ),
    )

    class Meta:
        attrs = {"class": "walk"}

    def render_record(self) -> str:
        return gettext("Record")

    def render_rating(self, value: float | None) -> str:
        return rating(value)
