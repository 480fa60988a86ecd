"""Forms to create a manual report, or a section of one."""

from typing import Any

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from events.formats.dbf.layout_2c import MAX_ROUNDS
from events.formats.report import ReportedEvent, ReportedSection
from events.formats.result_codes import DOUBLE_GAME_KIND
from events.formats.results_entry import ROUND_ROBIN, NewEntry, quads, with_new_entries
from events.formats.round_robin import QUAD_SIZE, round_robin_rounds
from events.reports.forms.edits import EventForm
from events.reports.forms.time_controls import TimeControlField
from events.reports.queries.report_defaults import PLACE
from events.results_entry.queries import place_of_club, resolve_lines
from ratings_site.common.ui.fields import DayField, ShortNumberField

QUADS = "quads"
BY_RATING = "rating"
MAX_LINES = 250
# The program name in manual reports.
PROGRAM = "typed in"


class NewSectionForm(forms.Form):
    """A new section: its facts and players."""

    kind = forms.ChoiceField(
        label=_("Type"),
        choices=[
            ("S", _("Swiss")),
            (QUADS, _("Quads (each quad becomes a section)")),
            (ROUND_ROBIN, _("Round robin")),
            (DOUBLE_GAME_KIND, _("Double-game Swiss")),
            ("D", _("Double round robin")),
            ("M", _("Match")),
        ],
    )
    time_control = TimeControlField(help_text=_("Such as G/60;d5 or 40/90,SD/30;+30."))
    rounds = ShortNumberField(
        label=_("Rounds"),
        error_messages={"required": _("Enter the number of rounds played.")},
        min_value=1,
        max_value=MAX_ROUNDS,
        help_text=_("Leave blank for quads and round robins."),
    )
    section_name = forms.CharField(
        label=_("Section name"),
        max_length=30,
        required=False,
        help_text=_("Such as Open or Under 1400. Quads get numbers."),
    )
    online = forms.BooleanField(label=_("Played online"), required=False)
    players = forms.CharField(
        label=_("Players"),
        required=False,
        max_length=MAX_LINES * 80,
        widget=forms.Textarea(
            attrs={"rows": 8, "class": "rows", "spellcheck": "false", "wrap": "off"}
        ),
        help_text=_(
            "One player per line, by member ID or name, in wall chart order. "
            "You can also add players later."
        ),
    )
    order = forms.ChoiceField(
        label=_("Pairing numbers"),
        required=False,
        choices=[
            ("", _("In the order entered")),
            (BY_RATING, _("By rating, highest first")),
        ],
        help_text=_("For quads, this also sets who plays in which quad."),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        needs_rounds = self["kind"].value() not in (QUADS, ROUND_ROBIN)
        self.fields["rounds"].required = needs_rounds

    def clean_players(self) -> list[str]:
        lines = self.cleaned_data["players"].splitlines()
        lines = [line for line in lines if line.strip()]
        if len(lines) > MAX_LINES:
            raise forms.ValidationError(
                gettext(
                    "You can enter up to {most} lines. For more players, upload a file."
                ).format(most=MAX_LINES)
            )
        return lines

    def sections(self, first_number: int = 1) -> list[ReportedSection]:
        """Return the new sections: one, or one for each quad."""
        newcomers = resolve_lines(self.cleaned_data["players"])
        if self.cleaned_data["order"] == BY_RATING:
            newcomers.sort(key=lambda one: -int(one.rating or 0))
        if self.cleaned_data["kind"] != QUADS:
            return [self._section(newcomers, first_number)]
        return [
            self._quad(group, number)
            for number, group in enumerate(quads(newcomers), start=1)
        ]

    def _section(self, newcomers: list[NewEntry], number: int) -> ReportedSection:
        name = self.cleaned_data["section_name"] or gettext("Section {number}").format(
            number=number
        )
        kind = self.cleaned_data["kind"]
        rounds = self.cleaned_data["rounds"] or round_robin_rounds(
            len(newcomers) or QUAD_SIZE
        )
        return self._with(newcomers, name, kind, rounds)

    def _quad(self, newcomers: list[NewEntry], number: int) -> ReportedSection:
        """Return a quad; a last group of more than four plays a Swiss."""
        name = self.cleaned_data["section_name"] or "Quad"
        kind = ROUND_ROBIN if len(newcomers) <= QUAD_SIZE else "S"
        return self._with(newcomers, f"{name} {number}", kind, QUAD_SIZE - 1)

    def _with(
        self, newcomers: list[NewEntry], name: str, kind: str, rounds: int
    ) -> ReportedSection:
        section = ReportedSection(
            number=1,
            name=name,
            kind_letter=kind,
            rounds=rounds,
            time_control=self.cleaned_data["time_control"],
            online=self.cleaned_data["online"],
        )
        return with_new_entries(section, newcomers)


class NewReportForm(NewSectionForm, EventForm):
    """The event's facts and its first section."""

    version = assistant_td_id = other_td_ids = total_sections = None  # type: ignore[assignment]
    ticket = forms.CharField(max_length=64, widget=forms.HiddenInput)
    ends = DayField(
        label=_("Last day"),
        required=False,
        help_text=_("Leave blank for a one-day event."),
    )

    field_order = ["ticket", "name", "starts", "ends", "city", "state", "zip_code",
                   "affiliate_id", "chief_td_id"]  # fmt: skip

    def clean(self) -> dict[str, Any]:
        """Fill in the club's place if none is typed."""
        said = super().clean()
        if not any(said.get(name) for name in PLACE):
            said |= place_of_club(said.get("affiliate_id", ""))
        return said

    EVENT = ("name", "starts", "ends", "city", "state", "zip_code", "affiliate_id",
             "chief_td_id")  # fmt: skip

    def reported(self) -> ReportedEvent:
        facts = {name: self.cleaned_data[name] for name in self.EVENT}
        facts["ends"] = facts["ends"] or facts["starts"]
        return ReportedEvent(
            program=PROGRAM, country="USA", send_crosstable="N", **facts
        )

    @property
    def place_fields(self) -> list[forms.BoundField]:
        return [self[name] for name in ("affiliate_id", "chief_td_id", *PLACE)]

    @property
    def section_fields(self) -> list[forms.BoundField]:
        return [self[name] for name in ("kind", "time_control", "rounds")]

    @property
    def more_fields(self) -> list[forms.BoundField]:
        return [self[name] for name in ("section_name", "order", "online")]
