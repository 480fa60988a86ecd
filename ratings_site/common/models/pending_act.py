from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from ratings_site.common.models.constraints import not_blank, one_of
from ratings_site.common.models.keys import account_key, optional_account_key
from ratings_site.common.models.review_item import ReviewItem


class PendingAct(ReviewItem):
    """A staff action that needs a second approval before it is done.

    *kind* names the service that does it, *payload* holds its arguments
    (``ratings_site.common.approvals.services``).
    """

    class Status(models.TextChoices):
        WAITING = "waiting", _("Awaiting second approval")
        APPROVED = "approved", _("Approved")
        REFUSED = "refused", _("Declined")
        WITHDRAWN = "withdrawn", _("Withdrawn")

    STATE_FIELD, REASON_FIELD = "status", "decision_reason"
    OPEN_STATES = (Status.WAITING,)

    kind = models.CharField(max_length=60)
    title = models.CharField(_("action"), max_length=200)
    url = models.CharField(max_length=200, blank=True)
    payload = models.JSONField(default=dict)
    reason = models.TextField()
    status = models.CharField(
        max_length=10, choices=Status.choices, default=Status.WAITING
    )
    proposed_by = account_key()
    proposed_at = models.DateTimeField(auto_now_add=True)
    decided_by = optional_account_key()
    decided_at = models.DateTimeField(null=True, blank=True)
    decision_reason = models.TextField(blank=True)

    class Meta:
        verbose_name = _("pending approval")
        verbose_name_plural = _("pending approvals")
        ordering = ["status", "-pk"]
        constraints = [
            one_of(
                "status",
                ["waiting", "approved", "refused", "withdrawn"],
                "pending_act_status_is_known",
            ),
            not_blank("reason", "pending_act_has_a_reason"),
            models.CheckConstraint(
                condition=~Q(status__in=["approved", "refused"])
                | Q(decided_by__isnull=False),
                name="decided_act_names_who_decided",
            ),
            models.CheckConstraint(
                condition=~Q(status="approved") | ~Q(decided_by=F("proposed_by")),
                name="nobody_approves_his_own_act",
                violation_error_message=_("This needs a second approval."),
            ),
        ]

    def __str__(self) -> str:
        return self.title
