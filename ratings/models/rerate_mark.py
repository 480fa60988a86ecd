from __future__ import annotations

import re
from contextlib import suppress
from datetime import date

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext, gettext_noop
from django.utils.translation import gettext_lazy as _

from events.corrections.queries import hidden_names
from players.models import Player
from players.models.player import private_name
from ratings.models.systems import optional_section_key
from ratings_site.common.models.constraints import not_blank, one_of
from ratings_site.common.models.keys import optional_account_key
from ratings_site.common.ui.formatting import format_day

# Notes that the program writes: in English, with ISO dates. The reasons of corrections
# and decisions are shown as they are stored.
PATTERNS = (
    gettext_noop("{section} was reported after later events had been rated."),
    gettext_noop("{event} was entered after later events had been rated."),
    gettext_noop("{merged} was merged into {kept}."),
    gettext_noop("The merge of {merged} into {kept} was undone."),
    gettext_noop("The birth date was changed."),
    gettext_noop("Residence was changed from {old} to {new}."),
    gettext_noop("The result of {name} in {event} counts again."),
    gettext_noop("The result of {name} in {event} was left out."),
    gettext_noop(
        "The {system} floor of {name} is lowered from {old} to {level} from {day}."
    ),
    gettext_noop(
        "The {system} rating of {name} was adjusted by the office as of {day}."
    ),
    gettext_noop(
        "The {system} rating of {name} that the office had set on {day} is withdrawn."
    ),
    gettext_noop("{name} has a {system} floor of {level} ({kind}) from {day}."),
    gettext_noop("{name} has a {system} ceiling of {level} from {day}."),
    gettext_noop("The {system} floor {level} of {name} holds until {day} only."),
    gettext_noop("The {system} ceiling {level} of {name} holds until {day} only."),
    gettext_noop("Ratings now follow the text of {day} of the rating system."),
    gettext_noop("{run} was undone after events had been rated from its ratings."),
    gettext_noop("FIDE rating of {name}: {change}"),
    gettext_noop("{body} rating {rating} of {name} was entered."),
    gettext_noop("{body} rating {rating} of {name} was taken back."),
    gettext_noop("{name}: {type} membership was entered."),
    gettext_noop("The games of {name} in {event} were corrected."),
)
_PLACEHOLDER = re.compile(r"\\{(\w+)\\}")
_NAMES = {"merged", "kept", "name"}
# The name in "Ana Adams (12641216)" or in "Ana Adams", and the ID.
_NAME = re.compile(r"^.+?(?=(?: \(([^() ]+)\))?$)")
# Names as reported, which the notes of earlier corrections have.
_REPORTED = re.compile(r"Pairing number \d+: (?:name as reported|\w+, now [^(])")
_FIDE_ID = re.compile(r"(?<=FIDE ID )\d+")


class MarkKind(models.TextChoices):
    LATE = "late", _("Late event")
    CORRECTION = "correction", _("Correction")
    MERGE = "merge", _("Merged members")
    BIRTH_DATE = "birth_date", _("Birth date")
    ADULT = "adult", _("Membership type")
    RESIDENCE = "residence", _("Residence")
    EXTERNAL_RATING = "external_rating", _("FIDE or CFC rating")
    FLOOR = "floor", _("Floor")
    CEILING = "ceiling", _("Ceiling")
    ADJUSTMENT = "adjustment", _("Adjustment")
    MATCH = "match", _("Match decision")
    FOREIGN = "foreign", _("Foreign event")
    EDITION = "edition", _("Rules")
    UNDO = "undo", _("Rerate undone")


class RerateMarkQuerySet(models.QuerySet["RerateMark"]):
    def pending(self) -> RerateMarkQuerySet:
        """Return those that no published rerate has taken in."""
        return self.filter(run=None)

    def first_day(self) -> date | None:
        """Return the first day from which ratings may change."""
        days = self.order_by("from_day").values_list("from_day", flat=True)
        return days.first()


class RerateMark(models.Model):
    """A pending rerate: history has changed from a day on.

    It is added in the transaction of the change itself. *run* is the published rerate
    that took it in; without one it is open. Undoing the rerate opens it again.
    """

    Kind = MarkKind

    kind = models.CharField(_("type"), max_length=20, choices=Kind.choices)
    from_day = models.DateField(
        _("from"),
        help_text=_("First date on which ratings may change."),
    )
    player = models.ForeignKey(
        "players.Player",
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="rerate_marks",
    )
    section = optional_section_key("rerate_marks")
    note = models.TextField(
        _("what changed"),
        help_text=_("What changed, in one sentence."),
    )
    left_by = optional_account_key(_("created by"))
    left_at = models.DateTimeField(_("created at"), auto_now_add=True)
    run = models.ForeignKey(
        "ratings.Run",
        verbose_name=_("rerate"),
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="marks",
    )

    objects = RerateMarkQuerySet.as_manager()

    class Meta:
        verbose_name = _("pending rerate")
        verbose_name_plural = _("pending rerates")
        ordering = ["from_day", "pk"]
        constraints = [
            not_blank("note", "mark_says_what_changed"),
            one_of("kind", MarkKind.values, "mark_kind_is_known"),
        ]
        indexes = [
            models.Index(
                fields=["from_day"], condition=Q(run__isnull=True), name="open_marks"
            ),
        ]

    def __str__(self) -> str:
        return gettext("{kind} from {from_day}: {note}").format(
            kind=self.get_kind_display(), from_day=self.from_day, note=self.note
        )

    @property
    def translated_note(self) -> str:
        """Return the note, in the reader's language if the program wrote it.

        The name of a private member in it is hidden from those who may not see it.
        """
        for pattern in PATTERNS:
            named = _PLACEHOLDER.sub(r"(?P<\1>.+)", re.escape(pattern))
            if found := re.fullmatch(named, self.note):
                return gettext(pattern).format(
                    **self._hidden(_shown(found.groupdict()))
                )
        hidden = set()
        if self._is_hidden("") and self.player is not None:
            hidden.add(self.player.full_name)
        if self.section_id and _REPORTED.search(self.note):
            hidden |= hidden_names(self.section_id)
        note = self.note
        for name in sorted(hidden, key=len, reverse=True):
            note = note.replace(name, private_name())
        return note

    def _hidden(self, values: dict[str, str]) -> dict[str, str]:
        """Hide private members in the values of a note, but not their member IDs."""
        for key in _NAMES & values.keys():
            name = _NAME.match(values[key])
            if name is None or not self._is_hidden(name[1] or ""):
                continue
            values[key] = private_name() + values[key][name.end() :]
            if "rating" in values:  # FIDE's list would tell whose it is
                values["rating"] = "…"
            if "change" in values:
                values["change"] = _FIDE_ID.sub("…", values["change"])
        return values

    def _is_hidden(self, member_id: str) -> bool:
        """Return whether the name of the member of this ID, or else ours, is hidden."""
        player = self.player
        if member_id and (player is None or player.member_id != member_id):
            player = Player.objects.filter(member_id=member_id, is_private=True).first()
        return player is not None and player.is_name_hidden


def _shown(values: dict[str, str]) -> dict[str, str]:
    """Return the values of a note in the reader's language; old dates as stored."""
    for name in ("system", "kind"):
        if name in values:
            values[name] = gettext(values[name])
    with suppress(KeyError, ValueError):
        values["day"] = format_day(date.fromisoformat(values["day"]))
    return values
