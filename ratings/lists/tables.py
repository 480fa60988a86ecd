"""Tables with at most fifty rows a page."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import django_tables2 as tables
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django_tables2.utils import Accessor

from players.members.queries import PLAYER_BY_NAME
from ratings.engine.systems import System
from ratings.ledger.queries.published_ratings import official_number, published
from ratings.lists.queries.official import MemberOnList, OfficialValue
from ratings.lists.queries.rankings import RankingRow
from ratings.models import OfficialList, OfficialRating, PlayerRating
from ratings_site.common.templatetags.office import about_if, change
from ratings_site.common.ui.formatting import (
    ApproximateRating,
    format_rating,
    short_month,
    whole,
)
from ratings_site.common.ui.tables import NAME, Table, Value, column, csv_fields

MEMBER: dict[str, Value] = {
    "member_id": "player__member_id",
    "name": "player__name",
    "state": "state",
}


def _member(row: str = "") -> tables.Column:
    """Return the column of the member of a *row*, such as "row__" of a record."""
    player = Accessor(f"{row}player")
    return column(
        _("Member"),
        "name",
        accessor=f"{row}player__name",
        order_by=PLAYER_BY_NAME,
        linkify=lambda record: player.resolve(record).get_absolute_url(),
    )


def _member_id(row: str = "") -> tables.Column:
    return column(
        _("Member ID"),
        "tnum wide-only",
        accessor=f"{row}player__member_id",
        order_by="player__member_id",
    )


def _state(accessor: str = "state") -> tables.Column:
    return column(_("State"), "wide-only", accessor=accessor, order_by="state")


def _yes(value: object) -> str:
    """Return the mark of files, as in those of the official lists."""
    return "Y" if value else ""


def _official(row: OfficialRating) -> SafeString:
    """Format an official rating, marked if it is provisional."""
    rating = format_rating(official_number(row))
    if not row.is_provisional:
        return format_html("{}", rating)
    words = gettext("Provisional, based on {games} games").format(games=row.games)
    return format_html('{}<sup class="mark" title="{}">p</sup>', rating, words)


class ClassMemberTable(Table):
    """The members of one class in one system."""

    caption = _("Members of the class")
    row_header = "name"
    tiebreak = PLAYER_BY_NAME
    csv_columns = MEMBER | csv_fields(
        "",
        state="player__state",
        rating=lambda row: int(published(row)),
        about=lambda row: _yes(row.age_start is not None),
        games="games",
        provisional=lambda row: _yes(not row.is_established),
    )

    name = _member()
    member_id = _member_id()
    state = column(_("State"), "wide-only", accessor="player__state")
    rating = column(_("Rating"), "num", accessor="published_rating")
    games = column(_("Games"), "num")

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


def _year_games(classes: str) -> tables.Column:
    label, name = _("Games, 12 months"), "row__year_games"
    return column(label, classes, accessor=name, order_by="year_games", default="")


class RankingTable(Table):
    """A page of a ranking; the row of the reader's *own* key is highlighted."""

    caption = _("Ranking")
    row_header = "name"
    tiebreak = PLAYER_BY_NAME
    csv_columns = csv_fields(
        "place",
        member_id="row__player__member_id",
        name="row__player__name",
        state="row__state",
        rating="row__rating",
        about=lambda line: _yes(line.row.is_about),
        games="row__games",
        provisional=lambda line: _yes(line.row.is_provisional),
        percent_below="percent",
        year_games="row__year_games",
    )

    place = column(_("Place"), "num nowrap", orderable=False)
    name = _member("row__")
    member_id = _member_id("row__")
    state = _state("row__state")
    rating = column(_("Rating"), "num", accessor="row", order_by="rating")
    games = column(_("Games"), "num wide-only", accessor="row__games", order_by="games")
    year_games = _year_games("num wide-only")
    percent = column(_("Higher than"), "num wide-only", orderable=False)

    class Meta:
        attrs = {"class": "walk"}
        order_by = "-rating"

    def __init__(self, *args: Any, own: int | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.own = own

    def row_class(self, record: RankingRow) -> str:
        return "mine" if record.row.player_id == self.own else ""

    def render_place(self, record: RankingRow) -> str:
        place = f"{record.place:,}"
        if not record.is_shared:
            return place
        words = gettext("Tied")
        return format_html('{}<span class="hang" title="{}">=</span>', place, words)

    def render_rating(self, value: OfficialRating) -> SafeString:
        return _official(value)

    def render_percent(self, value: int) -> str:
        return f"{value}%"


class MostActiveTable(RankingTable):
    """A page of a ranking by the games of a year."""

    csv_columns = {
        name: value
        for name, value in RankingTable.csv_columns.items()
        if name != "percent_below"
    }

    year_games = _year_games("num")

    class Meta(RankingTable.Meta):
        order_by = "-year_games"
        exclude = ("percent",)


class OfficialListTable(Table):
    """The ratings of an official list, with *revised* values on demand."""

    caption = _("Official ratings")
    row_header = "name"
    tiebreak = PLAYER_BY_NAME
    csv_columns = csv_fields(
        "place",
        **MEMBER,
        rating="rating",
        about=lambda row: _yes(row.is_about),
        games="games",
        provisional=lambda row: _yes(row.is_provisional),
    )

    place = column(_("Place"), "num", orderable=False)
    name = _member()
    member_id = _member_id()
    state = _state()
    rating = column(_("Rating"), "num")
    revised = column(_("Revised to"), empty_values=(), orderable=False)
    games = column(_("Games"), "num wide-only")

    class Meta:
        attrs = {"class": "walk"}

    revised_values: dict[int, OfficialValue] = {}

    def render_rating(self, record: OfficialRating) -> SafeString:
        return _official(record)

    def render_revised(self, record: OfficialRating) -> str:
        value = self.revised_values.get(record.pk)
        if value is None or not value.is_revised:
            return ""
        words = gettext("unrated")
        if value.revised is not None:
            words = format_rating(value.revised)
        if value.rerate is None:
            return words
        return format_html(
            '{} <a class="small" href="{}">{}</a>',
            words,
            reverse("ratings:rerate", args=[value.rerate]),
            gettext("rerate {rerate}").format(rerate=value.rerate),
        )


class OfficialListsTable(Table):
    """The official lists with their files; the one in force is marked."""

    caption = _("Official rating lists")
    row_header = "month"
    tiebreak = ("-month", "-correction")
    csv_columns = csv_fields(
        "month correction members",
        published=lambda one: timezone.localdate(one.published_at),
        withdrawn=lambda one: _yes(one.is_withdrawn),
        files_sha256=lambda one: " ".join(
            f"{file.name}={file.sha256}" for file in one.files.all()
        ),
    )

    month = tables.TemplateColumn(
        template_name="ratings/lists/_name.html", verbose_name=_("List"), attrs=NAME
    )
    members = column(_("Members"), "num labeled")
    published_at = column(_("Published"), "day nowrap labeled")
    files = tables.TemplateColumn(
        template_name="ratings/lists/_files.html",
        verbose_name=_("Files"),
        orderable=False,
    )

    class Meta:
        attrs = {"class": "cardlike walk"}


MEMBER_VALUES: dict[str, Callable[[OfficialValue], Any]] = {
    "": lambda value: whole(value.rating),
    "_about": lambda value: _yes(isinstance(value.rating, ApproximateRating)),
    "_games": lambda value: value.games,
    "_provisional": lambda value: _yes(value.is_provisional),
    "_revised": lambda value: "" if value.revised is None else whole(value.revised),
}


def _read(
    system: System, read: Callable[[OfficialValue], Any], line: MemberOnList
) -> Any:
    value = line.values.get(system)
    return "" if value is None else read(value)


class MemberListTable(Table):
    """The lists a member is on, with a column for each of the *systems*."""

    caption = _("Official ratings")
    row_header = "list"

    list = column(
        _("List"),
        "name nowrap",
        accessor="list__name",
        order_by="list__month",
        linkify=lambda record: record.list.get_absolute_url(),
    )

    class Meta:
        attrs = {"class": "cardlike walk dense"}

    def __init__(self, history: Sequence[MemberOnList], systems: Sequence[System]):
        columns = [(system.value, _RatingColumn(system)) for system in systems]
        self.csv_columns = csv_fields("", month="list__month") | {
            f"{system.lower()}{name}": partial(_read, system, read)
            for system in systems
            for name, read in MEMBER_VALUES.items()
        }
        super().__init__(history, extra_columns=columns)


class _RatingColumn(tables.TemplateColumn):  # type: ignore[misc]
    def __init__(self, system: System) -> None:
        label = gettext(system.label)
        attrs = {"th": {"class": "num"}, "td": {"class": "num", "data-label": label}}
        super().__init__(
            template_name="ratings/lists/_value.html",
            verbose_name=label,
            accessor=f"values__{system}",
            order_by=f"values__{system}__rating",
            initial_sort_descending=True,
            attrs=attrs,
        )


class ChangeTable(Table):
    """Ratings on an *earlier* and a *later* list, with the change."""

    caption = _("Changed ratings")
    row_header = "name"
    tiebreak = PLAYER_BY_NAME
    csv_columns = MEMBER | csv_fields(
        "before",
        before_about=lambda row: _yes(row.before and row.was_about),
        after="after",
        after_about=lambda row: _yes(row.after and row.is_about),
        change=lambda row: _gain(row),
    )

    name = _member()
    member_id = _member_id()
    state = _state()
    before = column("", "num", empty_values=())
    after = column("", "num", empty_values=())
    gain = column(_("Change"), "num", empty_values=())

    class Meta:
        attrs = {"class": "walk"}

    def __init__(
        self, *args: Any, earlier: OfficialList, later: OfficialList, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.columns["before"].column.verbose_name = short_month(earlier.month)
        self.columns["after"].column.verbose_name = short_month(later.month)

    def render_before(self, record: Any) -> str:
        return about_if(record.before, record.was_about)

    def render_after(self, record: Any) -> str:
        return about_if(record.after, record.is_about)

    def render_gain(self, record: Any) -> SafeString:
        return change(_gain(record))


def _gain(row: Any) -> int | None:
    """Return the change, None without two ratings or if one is only "about"."""
    return None if row.is_about or row.was_about else row.gain
