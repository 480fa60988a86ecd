"""Forms for members' data."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from players.formats.member_ids import MEMBER_ID
from players.members.queries import get_member
from players.models import Player
from players.models.player import member_id_sentence
from ratings_site.common.approvals.forms import ReasonForm


class MemberIdField(forms.CharField):
    """A member ID, with its letters in either case."""

    def __init__(self, **kwargs: Any) -> None:
        attrs = {"inputmode": "numeric"} if MEMBER_ID.is_numeric else {}
        kwargs.setdefault("widget", forms.TextInput(attrs=attrs | {"class": "short"}))
        super().__init__(**kwargs)

    def to_python(self, value: Any) -> str:
        text = super().to_python(value) or ""
        return text.upper() if MEMBER_ID.whole.fullmatch(text.upper()) else text

    def run_validators(self, value: str) -> None:
        super().run_validators(value)
        if value and not MEMBER_ID.whole.fullmatch(value):
            raise ValidationError(
                member_id_sentence(
                    _("Enter an 8-digit member ID. It does not start with 0.")
                )
            )


class MemberField(MemberIdField):
    """The ID of an existing member; cleans to the member."""

    def clean(self, value: Any) -> Player | None:
        member_id = super().clean(value)
        if not member_id:
            return None
        player = get_member(member_id)
        if player is None:
            raise ValidationError(_("No member has this ID."))
        return player


class StatusForm(ReasonForm):
    status = forms.ChoiceField(
        label=_("Status"),
        choices=[
            (value, label)
            for value, label in Player.Status.choices
            if value != Player.Status.DUPLICATE
        ],
    )

    field_order = ["status", "reason"]
