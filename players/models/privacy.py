from django.db import models
from django.db.models import Q
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from players.models.keys import player_key
from ratings_site.common.models.constraints import one_of
from ratings_site.common.models.keys import optional_account_key, owner_key
from ratings_site.common.models.review_item import ReviewItem


class PrivacyRequest(ReviewItem):
    """A request by a member or guardian to hide the name from the public, or show it.

    *make_private* is False for a request to end it.
    """

    class State(models.TextChoices):
        ASKED = "asked", _("Waiting for the office")
        DONE = "done", _("Done")
        REFUSED = "refused", _("Declined")

    OPEN_STATES = (State.ASKED,)

    player = player_key("privacy_requests", on_delete=models.CASCADE)
    account = owner_key("privacy_requests")
    make_private = models.BooleanField(_("make private"))
    state = models.CharField(max_length=10, choices=State.choices, default=State.ASKED)
    asked_at = models.DateTimeField(_("requested at"), auto_now_add=True)
    decided_by = optional_account_key()
    decided_at = models.DateTimeField(null=True, blank=True)
    reason = models.TextField(blank=True)

    class Meta:
        ordering = ["-pk"]
        verbose_name = _("privacy request")
        verbose_name_plural = _("privacy requests")
        constraints = [
            one_of(
                "state", ["asked", "done", "refused"], "privacy_request_state_is_known"
            ),
            models.CheckConstraint(
                condition=Q(state="asked")
                | (Q(decided_by__isnull=False) & ~Q(reason="")),
                name="decided_privacy_request_says_by_whom_and_why",
            ),
            models.UniqueConstraint(
                fields=["player"],
                condition=Q(state="asked"),
                name="one_open_privacy_request_per_member",
                violation_error_message=_("The office already has this request."),
            ),
        ]

    def __str__(self) -> str:
        return gettext("Privacy request for {player}").format(player=self.player)
