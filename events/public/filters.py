"""Which events somebody looks for."""

from datetime import date

import django_filters
from django import forms
from django.db.models import Exists, OuterRef, Q, QuerySet, Value
from django.db.models.functions import Upper
from django.utils.translation import gettext_lazy as _

from events.models import Affiliate, Entry, Event, EventOfficial, Section
from events.models.event import EVENT_ID
from players.models import Player
from ratings_site.common.looks.fields import (
    DayField,
    MemberIdField,
    NumberField,
    StateField,
)
from ratings_site.common.names.sounds import searchable

# The six systems by the names the ratings know them by.
SYSTEMS = (
    ("OTBR", _("Regular")),
    ("OTBQ", _("Quick")),
    ("OTBB", _("Blitz")),
    ("OLR", _("Online regular")),
    ("OLQ", _("Online quick")),
    ("OLB", _("Online blitz")),
)
ONLINE, OVER_THE_BOARD = "online", "otb"
SIZES = {"small": (0, 19), "medium": (20, 59), "large": (60, 149), "huge": (150, None)}
SIZE_WORDS = (
    ("small", _("fewer than 20")),
    ("medium", _("20 to 59")),
    ("large", _("60 to 149")),
    ("huge", _("150 or more")),
)


class YearField(NumberField):
    """A year of four digits."""

    def __init__(self, **kwargs) -> None:
        sentence = _("A year has four digits, such as 2024.")
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


class StateFilter(django_filters.Filter):
    field_class = StateField


class YearFilter(django_filters.Filter):
    field_class = YearField


class DayFilter(django_filters.Filter):
    field_class = DayField


class MemberFilter(django_filters.Filter):
    field_class = MemberIdField


class EventFilter(django_filters.FilterSet):
    """Everything may stay blank; a field with a fault is passed over."""

    q = django_filters.CharFilter(
        label=_("Name, city, affiliate or TD"), method="by_text", max_length=80
    )
    state = StateFilter(label=_("State"), field_name="state")
    since = DayFilter(label=_("Ended from"), field_name="ends", lookup_expr="gte")
    until = DayFilter(label=_("Ended until"), field_name="ends", lookup_expr="lte")
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
        label=_("Entries"),
        choices=SIZE_WORDS,
        empty_label=_("Any"),
        method="by_size",
    )
    player = MemberFilter(label=_("Player’s member ID"), method="by_player")

    class Meta:
        model = Event
        fields = ()

    @property
    def is_asked(self) -> bool:
        """Tell whether anything at all was looked for."""
        return any(value not in (None, "") for value in self.form.cleaned_data.values())

    @property
    def is_narrowed(self) -> bool:
        """Tell whether more than a text was asked for, so that its fields stay open."""
        asked = {name for name, value in self.form.cleaned_data.items() if value}
        return bool((asked | set(self.form.errors)) - {"q"})

    def by_text(self, events: QuerySet[Event], _name: str, text: str):
        """Find each word of the text somewhere: name, city, club, director, ID."""
        if EVENT_ID.fullmatch(text.strip()):
            return events.filter(event_id=text.strip())
        words = text.split()
        directors = _directors_called(words)
        for word in words:
            events = events.filter(_with_word(word, directors))
        return events

    def by_year(self, events: QuerySet[Event], _name: str, year: int):
        return events.filter(ends__range=(date(year, 1, 1), date(year, 12, 31)))

    def by_system(self, events: QuerySet[Event], _name: str, system: str):
        rated = Section.objects.filter(
            event=OuterRef("pk"),
            calculations__system=system,
            calculations__is_current=True,
        )
        return events.filter(Exists(rated))

    def by_place(self, events: QuerySet[Event], _name: str, place: str):
        sections = Section.objects.filter(
            event=OuterRef("pk"), is_online=place == ONLINE
        )
        return events.filter(Exists(sections))

    def by_size(self, events: QuerySet[Event], _name: str, size: str):
        fewest, most = SIZES[size]
        events = events.filter(submission__entry_count__gte=fewest)
        if most is not None:
            events = events.filter(submission__entry_count__lte=most)
        return events

    def by_player(self, events: QuerySet[Event], _name: str, member_id: str):
        entries = Entry.objects.filter(
            section__event=OuterRef("pk"), player__member_id=member_id
        )
        return events.filter(Exists(entries))


def _directors_called(words: list[str]) -> list[Player]:
    """Return the directors of whose name or ID any of the words is.

    They are read once: the events that are found are counted as well as shown.
    """
    called = Q(member_id__in=words)
    for word in words:
        called |= Q(search_name__contains=_as_searched(word))
    # Those who direct are few: nobody else is looked at.
    directing = EventOfficial.objects.order_by().values("player")
    directors = Player.objects.filter(called, pk__in=directing).order_by()
    return list(directors.only("search_name", "member_id"))


def _with_word(word: str, directors: list[Player]) -> Q:
    held = Affiliate.objects.filter(
        Q(name__icontains=word) | Q(affiliate_id__iexact=word)
    )
    called = [
        one.pk
        for one in directors
        if _as_searched(word) in one.search_name or word == one.member_id
    ]
    directed = EventOfficial.objects.filter(player__among=called)
    return (
        Q(search_text__contains=Upper(Value(word)))
        | Q(affiliate__in=held.order_by().values("pk"))
        | Q(pk__in=directed.order_by().values("event"))
    )


def _as_searched(word: str) -> str:
    return searchable(word) or word
