from django.db import models
from django.db.models import Q
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from players.models.keys import player_key
from ratings_site.common.models.constraints import one_of
from ratings_site.common.models.keys import optional_account_key, owner_key
from ratings_site.common.models.review_item import ReviewItem


class ForgetRequest(ReviewItem):
    """A request by a member or guardian to delete the member's data."""

    class State(models.TextChoices):
        ASKED = "asked", _("Waiting for the office")
        DONE = "done", _("Done")
        REFUSED = "refused", _("Declined")

    OPEN_STATES = (State.ASKED,)

    player = player_key("forget_requests", on_delete=models.CASCADE)
    account = owner_key("forget_requests")
    state = models.CharField(max_length=10, choices=State.choices, default=State.ASKED)
    asked_at = models.DateTimeField(_("requested at"), auto_now_add=True)
    decided_by = optional_account_key()
    decided_at = models.DateTimeField(null=True, blank=True)
    reason = models.TextField(blank=True)

    class Meta:
        ordering = ["-pk"]
        verbose_name = _("deletion request")
        verbose_name_plural = _("deletion requests")
        constraints = [
            one_of(
                "state", ["asked", "done", "refused"], "forget_request_state_is_known"
            ),
            models.CheckConstraint(
                condition=~Q(state="refused")
                | (Q(decided_by__isnull=False) & ~Q(reason="")),
                name="refused_forget_request_says_by_whom_and_why",
            ),
            models.UniqueConstraint(
                fields=["player"],
                condition=Q(state="asked"),
                name="one_open_forget_request_per_member",
                violation_error_message=_("The office already has this request."),
            ),
        ]

    def __str__(self) -> str:
        return gettext("Deletion request for {player}").format(player=self.player)
