"""Tables with at most fifty rows a page."""

import django_tables2 as tables
from django.utils.html import format_html
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from ratings.ledger.queries.published_ratings import published
from ratings.models import PlayerRating
from ratings_site.common.ui.formatting import format_rating
from ratings_site.common.ui.tables import NUMBER, Table


class MembersOfClass(Table):
    """The members of one class in one system."""

    caption = _("Members of the class")

    name = tables.Column(
        accessor="player__name",
        verbose_name=_("Name"),
        order_by=("player__search_name", "player__member_id"),
        linkify=lambda record: record.player.get_absolute_url(),
    )
    member_id = tables.Column(
        accessor="player__member_id",
        verbose_name=_("Member ID"),
        attrs={"th": {"class": "wide-only"}, "td": {"class": "tnum wide-only"}},
    )
    state = tables.Column(
        accessor="player__state",
        verbose_name=_("State"),
        attrs={"th": {"class": "wide-only"}, "td": {"class": "wide-only"}},
    )
    rating = tables.Column(
        accessor="published_rating", verbose_name=_("Rating"), attrs=NUMBER
    )
    games = tables.Column(verbose_name=_("Games"), attrs=NUMBER)

    class Meta:
        sequence = ("name", "member_id", "state", "rating", "games")
        attrs = {"class": "walk"}
        empty_text = _("There are no members in this class now.")

    def render_rating(self, record: PlayerRating) -> str:
        return format_rating(published(record))

    def render_games(self, record: PlayerRating) -> str:
        if record.is_established:
            return str(record.games)
        return format_html(
            '{}<sup class="mark" title="{}">p</sup>',
            record.games,
            gettext("Provisional"),
        )
