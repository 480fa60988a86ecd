"""The forms of the office's pages about people, and of the member's own wish."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy
from django.utils.translation import gettext_lazy as _

from players.members.queries import by_member_id
from players.models import Player
from ratings_site.common.acts.forms import ReasonForm
from ratings_site.common.looks.fields import (
    MemberIdField,
)


class MemberField(MemberIdField):
    """A member ID that belongs to somebody; gives the member."""

    def clean(self, value: Any) -> Player | None:
        member_id = super().clean(value)
        if not member_id:
            return None
        player = by_member_id(member_id)
        if player is None:
            raise ValidationError(_("No member has this ID."))
        return player


class StatusForm(ReasonForm):
    status = forms.ChoiceField(
        label=gettext_lazy("Status"),
        choices=[
            (value, label)
            for value, label in Player.Status.choices
            if value != Player.Status.DUPLICATE
        ],
    )

    field_order = ["status", "reason"]
