"""The filter of the public event list."""

from datetime import date
from typing import Any

import django_filters
from django import forms
from django.db.models import Exists, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Upper
from django.utils.translation import gettext_lazy as _

from events.models import Affiliate, Entry, Event, EventOfficial, Section
from events.models.event import EVENT_ID
from events.models.fee import RatingFee
from events.public.event_search import EventSearch
from players.members.forms import MemberIdField
from players.members.queries import kept_records, same_person
from players.models import Player
from ratings_site.common.names.phonetics import searchable
from ratings_site.common.ui.fields import (
    DayField,
    NumberField,
    StateField,
)

# The rating systems by their codes in ``ratings``.
SYSTEMS = [one for one in RatingFee.System.choices if one[0]]
ONLINE, OVER_THE_BOARD = "online", "otb"
SIZES = {"small": (0, 19), "medium": (20, 59), "large": (60, 149), "huge": (150, None)}
SIZE_WORDS = (
    ("small", _("Fewer than 20")),
    ("medium", _("20 to 59")),
    ("large", _("60 to 149")),
    ("huge", _("150 or more")),
)


Events = QuerySet[Event]


class YearField(NumberField):
    """A year of four digits."""

    def __init__(self, **kwargs: Any) -> None:
        sentence = _("Enter a year with four digits, such as 2024.")
        super().__init__(
            min_value=1900,
            max_value=2999,
            error_messages=dict.fromkeys(
                ("invalid", "min_value", "max_value"), sentence
            ),
            widget=forms.TextInput(
                attrs={"size": 6, "maxlength": 4, "inputmode": "numeric"}
            ),
            **kwargs,
        )

    def to_python(self, value: object) -> int | None:
        try:
            return super().to_python(value)
        except forms.ValidationError:
            raise forms.ValidationError(self.error_messages["invalid"]) from None


class StateFilter(django_filters.Filter):  # type: ignore[misc]
    field_class = StateField


class YearFilter(django_filters.Filter):  # type: ignore[misc]
    field_class = YearField


class DayFilter(django_filters.Filter):  # type: ignore[misc]
    field_class = DayField


class MemberFilter(django_filters.Filter):  # type: ignore[misc]
    field_class = MemberIdField


class EventFilter(django_filters.FilterSet):  # type: ignore[misc]
    """Every field is optional; invalid fields are ignored."""

    q = django_filters.CharFilter(
        label=_("Name, city, affiliate, or TD"), method="by_text", max_length=80
    )
    state = StateFilter(label=_("State"), field_name="state")
    since = DayFilter(label=_("End date from"), field_name="ends", lookup_expr="gte")
    until = DayFilter(label=_("End date to"), field_name="ends", lookup_expr="lte")
    year = YearFilter(label=_("Year"), method="by_year")
    system = django_filters.ChoiceFilter(
        label=_("Rating system"),
        choices=SYSTEMS,
        empty_label=_("Any"),
        method="by_system",
    )
    played = django_filters.ChoiceFilter(
        label=_("Played"),
        choices=((OVER_THE_BOARD, _("over the board")), (ONLINE, _("online"))),
        empty_label=_("Any"),
        method="by_place",
    )
    size = django_filters.ChoiceFilter(
        label=_("Entries"), choices=SIZE_WORDS, empty_label=_("Any"), method="by_size"
    )
    player = MemberFilter(label=_("Player’s member ID"), method="by_player")

    class Meta:
        model = Event
        fields = ()

    @property
    def has_query(self) -> bool:
        """Return whether the query has any value."""
        return any(value not in (None, "") for value in self.form.cleaned_data.values())

    @property
    def has_filters(self) -> bool:
        """Return whether other fields than the text are used, to keep them open."""
        asked = {name for name, value in self.form.cleaned_data.items() if value}
        return bool((asked | set(self.form.errors)) - {"q"})

    def by_text(self, events: Events, _name: str, text: str) -> Events:
        """Match each word of the text in the name, city, club, directors or ID."""
        if EVENT_ID.fullmatch(text.strip()):
            return events.filter(event_id=text.strip())
        words = text.split()
        directors = _directors_matching(words)
        for word in words:
            events = events.filter(_word_filter(word, directors))
        return events

    def by_year(self, events: Events, _name: str, year: int) -> Events:
        return events.filter(ends__range=(date(year, 1, 1), date(year, 12, 31)))

    def by_system(self, events: Events, _name: str, system: str) -> Events:
        rated = Section.objects.filter(
            event=OuterRef("pk"),
            calculations__system=system,
            calculations__is_current=True,
        )
        return events.filter(Exists(rated))

    def by_place(self, events: Events, _name: str, place: str) -> Events:
        sections = Section.objects.filter(
            event=OuterRef("pk"), is_online=place == ONLINE
        )
        return events.filter(Exists(sections))

    def by_size(self, events: Events, _name: str, size: str) -> Events:
        fewest, most = SIZES[size]
        events = events.filter(submission__entry_count__gte=fewest)
        if most is not None:
            events = events.filter(submission__entry_count__lte=most)
        return events

    def by_player(self, events: Events, _name: str, member_id: str) -> Events:
        kept = Subquery(kept_records(member_id=member_id))
        person = Player.objects.filter(Q(pk=kept) | Q(merged_into=kept)).order_by()
        entries = Entry.objects.filter(
            section__event=OuterRef("pk"), player__in=person.values("pk")
        )
        return events.filter(Exists(entries))


def _directors_matching(words: list[str]) -> list[Player]:
    """Return members with any of the words as ID, and directors with one in the name.

    They are read once, because the events that match are both counted and shown.
    """
    called = Q()
    for word in words:
        called |= Q(search_name__contains=_normalized(word), is_private=False)
    # Only the names of directors, who are few, are searched.
    directing = EventOfficial.objects.order_by()
    merged = directing.exclude(player__merged_into=None)
    people = directing.values("player").union(merged.values("player__merged_into"))
    members = Player.objects.order_by().only(
        "search_name", "is_private", "member_id", "merged_into"
    )
    directors = members.filter(called, pk__in=people)
    return list(members.filter(member_id__in=words).union(directors))


def _word_filter(word: str, directors: list[Player]) -> Q:
    words = EventSearch.of(word).words
    clubs = Affiliate.objects.annotate(capitals=Upper("name"))
    held = clubs.filter(Q(capitals__has_words=words) | Q(affiliate_id__iexact=word))
    called = [
        one.merged_into_id or one.pk
        for one in directors
        if (_normalized(word) in one.search_name and not one.is_private)
        or word == one.member_id
    ]
    directed = EventOfficial.objects.filter(same_person(called))
    # PostgreSQL uses the index of words only in a query of its own.
    named = Event.objects.filter(search_text__has_words=words)
    return (
        Q(pk__in=named.order_by().values("pk"))
        | Q(affiliate__in=held.order_by().values("pk"))
        | Q(pk__in=directed.order_by().values("event"))
    )


def _normalized(word: str) -> str:
    return searchable(word) or word


class AffiliateFilter(django_filters.FilterSet):  # type: ignore[misc]
    """Every field is optional; invalid fields are ignored."""

    q = django_filters.CharFilter(
        label=_("Name or ID"), method="by_text", max_length=80
    )
    state = StateFilter(label=_("State"), field_name="state")

    class Meta:
        model = Affiliate
        fields = ()

    def by_text(
        self, affiliates: QuerySet[Affiliate], _name: str, text: str
    ) -> QuerySet[Affiliate]:
        for word in text.split():
            affiliates = affiliates.filter(
                Q(name__icontains=word) | Q(affiliate_id__istartswith=word)
            )
        return affiliates
