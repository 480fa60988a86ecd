from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from ratings_site.common.models.constraints import not_blank, one_of
from ratings_site.common.models.keys import owner_key


class Notice(models.Model):
    """A notice to one account. Its text never changes.

    *key* identifies its subject, so that an account gets it only once. *batch* names
    the job that emails it; blank if it is not emailed.
    """

    account = owner_key("notices")
    kind = models.CharField(_("type"), max_length=60)
    key = models.CharField(max_length=120)
    title = models.CharField(max_length=200)
    text = models.TextField(blank=True)
    url = models.CharField(max_length=200)
    on_site = models.BooleanField(_("shown on site"), default=True)
    batch = models.CharField(max_length=40, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    read_at = models.DateTimeField(null=True, blank=True)
    mailed_at = models.DateTimeField(_("emailed at"), null=True, blank=True)

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["account", "key"], name="nobody_is_told_the_same_twice"
            ),
            not_blank("title", "notice_says_something"),
        ]
        indexes = [
            models.Index(
                fields=["account"],
                condition=Q(read_at=None, on_site=True),
                name="unread_notices",
            ),
            models.Index(
                fields=["batch"], condition=~Q(batch=""), name="notices_to_mail"
            ),
        ]

    def __str__(self) -> str:
        return self.title


class NoticeSetting(models.Model):
    """An account's choice for one kind of notice on one channel."""

    class Channel(models.TextChoices):
        SITE = "site", _("On the site")
        MAIL = "mail", _("By email")

    account = owner_key("notice_settings")
    kind = models.CharField(_("type"), max_length=60)
    channel = models.CharField(max_length=4, choices=Channel.choices)
    is_on = models.BooleanField(_("on"))

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["account", "kind", "channel"],
                name="one_notice_setting_per_kind_and_channel",
            ),
            one_of("channel", ["site", "mail"], "notice_channel_is_known"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.channel}: {'on' if self.is_on else 'off'}"
