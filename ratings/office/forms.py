"""Forms of the member directory."""

from typing import Any

from django import forms
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from events.models import Official
from players.models import Player
from ratings.office.search import (
    BIRTH_COLUMNS,
    CURRENT,
    EMAIL_COLUMNS,
    EXPIRED,
    NO_MEMBERSHIP,
    directory,
    is_td,
    with_membership,
)
from ratings_site.common.approvals.forms import ReasonForm
from ratings_site.common.models import User

ANY_TD, NO_TD, YES, NO = "any", "none", "yes", "no"


def _choice(label: Any, *choices: tuple[str, Any]) -> forms.ChoiceField:
    return forms.ChoiceField(
        label=label,
        required=False,
        choices=[("", _("Any")), *choices],
        error_messages={"invalid_choice": _("Choose from the list.")},
    )


class MemberFilter(forms.Form):
    """Which members to show. Every field is optional."""

    q = forms.CharField(label=_("Name or ID"), required=False, max_length=140)
    state = forms.RegexField(
        r"^[A-Za-z]{2}$",
        label=_("State"),
        required=False,
        error_messages={"invalid": _("Enter a two-letter state, such as IL.")},
        widget=forms.TextInput(attrs={"size": 3, "maxlength": 2}),
    )
    status = _choice(_("Status"), *Player.Status.choices)
    membership = _choice(
        _("Membership"),
        (CURRENT, _("Current")),
        (EXPIRED, _("Expired")),
        (NO_MEMBERSHIP, _("None on record")),
    )
    td = _choice(
        _("TD level"),
        (ANY_TD, _("Any TD")),
        *Official.Level.choices,
        (NO_TD, _("Not a TD")),
    )
    account = _choice(_("Account"), (YES, _("Has an account")), (NO, _("No account")))

    def members(self) -> QuerySet[Player]:
        """Return the matching members; invalid fields are ignored."""
        wanted = self.cleaned_data
        members = directory(wanted.get("q", ""))
        if state := wanted.get("state"):
            members = members.filter(state=state.upper())
        if status := wanted.get("status"):
            members = members.filter(status=status)
        if kind := wanted.get("membership"):
            members = with_membership(members, kind, timezone.localdate())
        if level := wanted.get("td"):
            tds = is_td(level)
            members = members.filter(~tds if level == NO_TD else tds)
        if account := wanted.get("account"):
            members = members.filter(account__isnull=account == NO)
        return members


class MemberFileForm(ReasonForm):
    """Which personal data a file of members holds, each for those who may see it."""

    with_emails = forms.BooleanField(label=_("Email addresses"), required=False)
    with_birth_dates = forms.BooleanField(label=_("Birth dates"), required=False)
    field_order = ["with_emails", "with_birth_dates", "reason"]

    PERMISSIONS = {
        "with_emails": ("players.view_contact", "players.view_guardian"),
        "with_birth_dates": ("players.view_player",),
    }

    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name, permissions in self.PERMISSIONS.items():
            if not user.has_perms(permissions):
                del self.fields[name]

    def columns(self) -> dict[str, str]:
        """Return the columns of personal data that were chosen."""
        chosen = self.cleaned_data
        emails = EMAIL_COLUMNS if chosen.get("with_emails") else {}
        return emails | (BIRTH_COLUMNS if chosen.get("with_birth_dates") else {})
