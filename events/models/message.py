from django.db import models
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from ratings_site.common.models.constraints import not_blank
from ratings_site.common.models.keys import account_key


class ReportMessage(models.Model):
    """A message between the TD and the office about a report. Never changed."""

    submission = models.ForeignKey(
        "events.Submission", on_delete=models.PROTECT, related_name="messages"
    )
    by = account_key(_("author"))
    from_office = models.BooleanField(verbose_name=_("from the office"))
    at = models.DateTimeField(verbose_name=_("time"), auto_now_add=True)
    text = models.TextField(verbose_name=_("message"))
    place = models.CharField(
        _("location"),
        max_length=80,
        blank=True,
        help_text=_("Location in the report: event, section, pairing number, round."),
    )

    class Meta:
        ordering = ["pk"]
        constraints = [not_blank("text", "message_says_something")]

    def __str__(self) -> str:
        return self.text[:80]


class MessageMark(models.Model):
    """The last message that the TD or the office has dealt with, and the actor."""

    submission = models.ForeignKey(
        "events.Submission", on_delete=models.PROTECT, related_name="message_marks"
    )
    for_office = models.BooleanField()
    up_to = models.ForeignKey(ReportMessage, on_delete=models.PROTECT, related_name="+")
    by = account_key()
    at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["submission", "for_office"], name="one_mark_for_each_side"
            )
        ]

    def __str__(self) -> str:
        words = (
            gettext("{submission}: read by the office")
            if self.for_office
            else gettext("{submission}: read by the TD")
        )
        return words.format(submission=self.submission)
