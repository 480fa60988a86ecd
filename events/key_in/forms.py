"""The forms that begin a typed report, or a section of one."""

from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from events.importers.dbf.layout_2c import MAX_ROUNDS
from events.importers.key_in import (
    ROUND_ROBIN,
    Newcomer,
    quads,
    with_newcomers,
)
from events.importers.outcomes import DOUBLE_GAME_KIND
from events.importers.records import ReportedEvent, ReportedSection
from events.importers.round_robin import QUAD_SIZE, rounds_for
from events.key_in.queries import meant_by
from events.reports.forms.edits import EventForm
from events.reports.forms.time_controls import TimeControlField
from ratings_site.common.looks.fields import DayField, NumberField

QUADS = "quads"
BY_RATING = "rating"
MOST_LINES = 250
# What a typed report names as the program it comes from.
PROGRAM = "typed in"


class NewSectionForm(forms.Form):
    """A section to type in: what was played, and by whom."""

    kind = forms.ChoiceField(
        label=gettext_lazy("Type"),
        choices=[
            ("S", gettext_lazy("Swiss")),
            (QUADS, gettext_lazy("Quads (each quad becomes a section)")),
            (ROUND_ROBIN, gettext_lazy("Round robin")),
            (DOUBLE_GAME_KIND, gettext_lazy("Double-game Swiss")),
            ("D", gettext_lazy("Double round robin")),
            ("M", gettext_lazy("Match")),
        ],
    )
    time_control = TimeControlField(
        help_text=gettext_lazy("Such as G/60;d5 or 40/90,SD/30;+30."),
    )
    rounds = NumberField(
        label=gettext_lazy("Rounds"),
        error_messages={"required": gettext_lazy("Enter how many rounds were played.")},
        min_value=1,
        max_value=MAX_ROUNDS,
        widget=forms.NumberInput(attrs={"class": "short"}),
        help_text=gettext_lazy("Quads and round robins need no number."),
    )
    section_name = forms.CharField(
        label=gettext_lazy("Name of the section"),
        max_length=30,
        required=False,
        help_text=gettext_lazy("Such as Open or Under 1400; quads are numbered."),
    )
    online = forms.BooleanField(label=gettext_lazy("Played online"), required=False)
    players = forms.CharField(
        label=gettext_lazy("Players"),
        required=False,
        max_length=MOST_LINES * 80,
        widget=forms.Textarea(
            attrs={"rows": 8, "class": "rows", "spellcheck": "false", "wrap": "off"}
        ),
        help_text=gettext_lazy(
            "One on each line, by member ID or by name, as on the wall "
            "chart. You can also add them later, one by one."
        ),
    )
    order = forms.ChoiceField(
        label=gettext_lazy("Numbers"),
        required=False,
        choices=[
            ("", gettext_lazy("In the order typed")),
            (BY_RATING, gettext_lazy("By rating, the highest first")),
        ],
        help_text=gettext_lazy("For quads this also says who plays in which."),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        needs_rounds = self["kind"].value() not in (QUADS, ROUND_ROBIN)
        self.fields["rounds"].required = needs_rounds

    def clean_players(self) -> list[str]:
        lines = self.cleaned_data["players"].splitlines()
        lines = [line for line in lines if line.strip()]
        if len(lines) > MOST_LINES:
            raise forms.ValidationError(
                _("More than {most} lines are better sent as a file.").format(
                    most=MOST_LINES
                )
            )
        return lines

    def sections(self, first_number: int = 1) -> list[ReportedSection]:
        """Return what is to be typed in: one section, or one for each quad."""
        newcomers = meant_by(self.cleaned_data["players"])
        if self.cleaned_data["order"] == BY_RATING:
            newcomers.sort(key=lambda one: -int(one.rating or 0))
        if self.cleaned_data["kind"] != QUADS:
            return [self._section(newcomers, first_number)]
        return [
            self._quad(group, number)
            for number, group in enumerate(quads(newcomers), start=1)
        ]

    def _section(self, newcomers: list[Newcomer], number: int) -> ReportedSection:
        name = self.cleaned_data["section_name"] or _("Section {number}").format(
            number=number
        )
        kind = self.cleaned_data["kind"]
        rounds = self.cleaned_data["rounds"] or rounds_for(len(newcomers) or QUAD_SIZE)
        return self._with(newcomers, name, kind, rounds)

    def _quad(self, newcomers: list[Newcomer], number: int) -> ReportedSection:
        """Return a quad; more than four who are left over play a Swiss."""
        name = self.cleaned_data["section_name"] or "Quad"
        kind = ROUND_ROBIN if len(newcomers) <= QUAD_SIZE else "S"
        return self._with(newcomers, f"{name} {number}", kind, QUAD_SIZE - 1)

    def _with(
        self, newcomers: list[Newcomer], name: str, kind: str, rounds: int
    ) -> ReportedSection:
        section = ReportedSection(
            number=1,
            name=name,
            kind_letter=kind,
            rounds=rounds,
            time_control=self.cleaned_data["time_control"],
            online=self.cleaned_data["online"],
        )
        return with_newcomers(section, newcomers)


class BeginForm(NewSectionForm, EventForm):
    """The event's facts and its first section."""

    version = assistant_td_id = other_td_ids = total_sections = None
    ticket = forms.CharField(max_length=64, widget=forms.HiddenInput)
    ends = DayField(
        label=gettext_lazy("Last day"),
        required=False,
        help_text=gettext_lazy("Blank means the first day."),
    )

    field_order = ["ticket", "name", "starts", "ends", "city", "state", "zip_code",
                   "affiliate_id", "chief_td_id"]  # fmt: skip

    EVENT = ("name", "starts", "ends", "city", "state", "zip_code", "affiliate_id",
             "chief_td_id")  # fmt: skip

    def reported(self) -> ReportedEvent:
        facts = {name: self.cleaned_data[name] for name in self.EVENT}
        facts["ends"] = facts["ends"] or facts["starts"]
        return ReportedEvent(
            program=PROGRAM, country="USA", send_crosstable="N", **facts
        )

    @property
    def event_fields(self) -> list[forms.BoundField]:
        return [self[name] for name in self.EVENT]

    @property
    def section_fields(self) -> list[forms.BoundField]:
        return [self[name] for name in NewSectionForm.base_fields]
