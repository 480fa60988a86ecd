"""The table of the member directory."""

from datetime import date

from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from events.models import Official
from players.members.queries import membership_end_label
from players.models import Player
from ratings_site.common.ui.tables import Table, column


class MemberTable(Table):
    caption = _("Members")
    nullable = frozenset({"membership_until", "td_level", "account__username"})

    name = column(
        _("Name"),
        "name wrap",
        order_by=("search_name", "member_id"),
        linkify=lambda record: reverse("ratings:member", args=[record.member_id]),
    )
    member_id = column(_("Member ID"), "labeled")
    state = column(_("State"), "labeled", default="")
    status = column(_("Status"), "labeled")
    membership_until = column(_("Membership"), "labeled", empty_values=())
    td = column(_("TD level"), "labeled", accessor="td_level", default="")
    account = column(_("Account"), "labeled", order_by="account__username", default="")

    class Meta:
        model = Player
        fields = ()
        attrs = {"class": "cardlike walk"}

    def render_td(self, value: str) -> str:
        return str(Official.Level(value).label)

    def render_membership_until(self, value: date | None) -> str:
        return membership_end_label(value)
