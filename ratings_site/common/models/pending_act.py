from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy

from ratings_site.common.models.review_item import ReviewItem


class PendingAct(ReviewItem):
    """A staff action that needs a second approval before it is done.

    *kind* names the service that does it, *payload* holds its arguments
    (``ratings_site.common.approvals.services``).
    """

    class Status(models.TextChoices):
        WAITING = "waiting", gettext_lazy("Awaiting second approval")
        APPROVED = "approved", gettext_lazy("Approved")
        REFUSED = "refused", gettext_lazy("Declined")
        WITHDRAWN = "withdrawn", gettext_lazy("Withdrawn")

    STATE_FIELD, REASON_FIELD = "status", "decision_reason"
    OPEN_STATES = (Status.WAITING,)

    kind = models.CharField(max_length=60)
    title = models.CharField(verbose_name=gettext_lazy("action"), max_length=200)
    url = models.CharField(max_length=200, blank=True)
    payload = models.JSONField(default=dict)
    reason = models.TextField()
    status = models.CharField(
        max_length=10, choices=Status.choices, default=Status.WAITING
    )
    proposed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    proposed_at = models.DateTimeField(auto_now_add=True)
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="+",
    )
    decided_at = models.DateTimeField(null=True, blank=True)
    decision_reason = models.TextField(blank=True)

    class Meta:
        verbose_name = gettext_lazy("pending approval")
        verbose_name_plural = gettext_lazy("pending approvals")
        ordering = ["status", "-pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(status__in=["waiting", "approved", "refused", "withdrawn"]),
                name="pending_act_status_is_known",
            ),
            models.CheckConstraint(
                condition=~Q(reason=""), name="pending_act_has_a_reason"
            ),
            models.CheckConstraint(
                condition=~Q(status__in=["approved", "refused"])
                | Q(decided_by__isnull=False),
                name="decided_act_names_who_decided",
            ),
            models.CheckConstraint(
                condition=~Q(status="approved") | ~Q(decided_by=F("proposed_by")),
                name="nobody_approves_his_own_act",
                violation_error_message=gettext_lazy("This needs a second approval."),
            ),
        ]

    def __str__(self) -> str:
        return self.title
