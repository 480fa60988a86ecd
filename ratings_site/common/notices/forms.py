"""The form for notice preferences."""

from collections.abc import Iterator
from typing import Any

from django import forms
from django.conf import settings
from django.db import transaction
from django.utils.translation import gettext_lazy as _

from ratings_site.common.models import User
from ratings_site.common.notices.services import (
    MAIL,
    SITE,
    Kind,
    NoticePreferences,
    kinds,
    save_preferences,
)

CHANNELS = (SITE, MAIL)


class NoticeSettingsForm(forms.Form):
    """A checkbox for each kind and channel, and the language of notices."""

    language = forms.ChoiceField(
        label=_("Language of notices and emails"),
        required=False,
        choices=lambda: [("", _("Default")), *settings.LANGUAGES],
    )

    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.user = user
        self.fields["language"].initial = user.language
        wishes = NoticePreferences([user.pk])
        for kind in kinds():
            for channel in CHANNELS:
                self.fields[_name(kind, channel)] = forms.BooleanField(
                    label=kind.label,
                    required=False,
                    initial=wishes.wants(user.pk, kind, channel),
                )

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield each kind of notice and its two checkboxes."""
        for kind in kinds():
            boxes = {"site": self[_name(kind, SITE)], "mail": self[_name(kind, MAIL)]}
            yield {"kind": kind, **boxes}

    def save(self) -> None:
        said = self.cleaned_data
        with transaction.atomic():
            self.user.language = said["language"]
            self.user.save(update_fields=["language"])
            save_preferences(
                self.user.pk,
                {
                    (kind.name, channel): said[_name(kind, channel)]
                    for kind in kinds()
                    for channel in CHANNELS
                },
            )


def _name(kind: Kind, channel: str) -> str:
    return f"{kind.name}-{channel}"
