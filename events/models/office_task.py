from django.db import models
from django.db.models import Q
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from ratings_site.common.models.constraints import one_of
from ratings_site.common.models.keys import optional_account_key
from ratings_site.common.models.review_item import ReviewItem


class OfficeTask(ReviewItem):
    """A foreign rating that staff must look up.

    A TD who knows the FIDE or CFC rating of an unrated player adds it to the report;
    the office checks it and enters the rating.
    """

    class State(models.TextChoices):
        OPEN = "open", _("To do")
        DONE = "done", _("Done")
        DECLINED = "declined", _("Declined")

    OPEN_STATES = (State.OPEN,)

    submission = models.ForeignKey(
        "events.Submission", on_delete=models.CASCADE, related_name="tasks"
    )
    player = models.ForeignKey("players.Player", on_delete=models.PROTECT)
    body = models.CharField(
        _("federation"), max_length=4, choices=[("FIDE", "FIDE"), ("CFC", "CFC")]
    )
    body_id = models.CharField(_("federation ID"), max_length=20, blank=True)
    rating = models.CharField(max_length=8, blank=True)
    state = models.CharField(max_length=10, choices=State.choices, default=State.OPEN)
    opened_at = models.DateTimeField(auto_now_add=True)
    decided_at = models.DateTimeField(null=True, blank=True)
    decided_by = optional_account_key()
    reason = models.TextField(blank=True)

    class Meta:
        verbose_name = _("external rating to add")
        verbose_name_plural = _("external ratings to add")
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["submission", "player", "body"],
                name="one_task_per_player_and_body",
            ),
            one_of("body", ["FIDE", "CFC"], "task_body_is_known"),
            one_of("state", ["open", "done", "declined"], "task_state_is_known"),
            models.CheckConstraint(
                condition=Q(state="open") | Q(decided_by__isnull=False),
                name="decided_task_has_a_decider",
            ),
        ]

    def __str__(self) -> str:
        return gettext("{body} rating of {player}").format(
            body=self.body, player=self.player
        )
