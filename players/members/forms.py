"""Forms for members' data."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from players.members.queries import get_member
from players.models import Player
from ratings_site.common.approvals.forms import ReasonForm
from ratings_site.common.ui.fields import MemberIdField


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
