"""The form in which people say what they want to hear of."""

from collections.abc import Iterator
from dataclasses import dataclass

from django import forms
from django.conf import settings
from django.db import transaction
from django.forms import BoundField
from django.utils.translation import gettext_lazy as _

from ratings_site.common.models import User
from ratings_site.common.notices.services import MAIL, SITE, Kind, Wishes, kinds, switch

CHANNELS = (SITE, MAIL)


@dataclass(frozen=True, slots=True)
class SettingRow:
    """A kind of notice, and its two switches."""

    kind: Kind
    site: BoundField
    mail: BoundField


class NoticeSettingsForm(forms.Form):
    """A switch for each kind and channel, and the language of it all."""

    language = forms.ChoiceField(
        label=_("Language of notices and e-mails"), required=False
    )

    def __init__(self, *args, user: User, **kwargs) -> None:
        super().__init__(*args, **kwargs)
        self.user = user
        self.fields["language"].choices = [("", _("The office’s")), *settings.LANGUAGES]
        self.fields["language"].initial = user.language
        wishes = Wishes([user.pk])
        for kind in kinds():
            for channel in CHANNELS:
                self.fields[_name(kind, channel)] = forms.BooleanField(
                    label=kind.label,
                    required=False,
                    initial=wishes.wants(user.pk, kind, channel),
                )

    def rows(self) -> Iterator[SettingRow]:
        for kind in kinds():
            yield SettingRow(kind, self[_name(kind, SITE)], self[_name(kind, MAIL)])

    def save(self) -> None:
        said = self.cleaned_data
        with transaction.atomic():
            self.user.language = said["language"]
            self.user.save(update_fields=["language"])
            switch(
                self.user.pk,
                {
                    (kind.name, channel): said[_name(kind, channel)]
                    for kind in kinds()
                    for channel in CHANNELS
                },
            )


def _name(kind: Kind, channel: str) -> str:
    return f"{kind.name}-{channel}"
