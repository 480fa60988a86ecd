from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy


class FideOptIn(models.Model):
    """A member's wish to have events abroad counted for the regular rating.

    It counts for events that begin after ``opted_in_on``, up to and including those
    that begin on ``opted_out_on``. It ends only with the Executive Director's approval.
    """

    player = models.ForeignKey(
        "players.Player", on_delete=models.PROTECT, related_name="fide_opt_ins"
    )
    opted_in_on = models.DateField()
    entered_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    by_staff = models.BooleanField(default=False)
    note = models.CharField(max_length=200, blank=True)
    # What the member asks, which decides nothing yet.
    opt_out_asked_on = models.DateField(null=True, blank=True)
    opt_out_wish = models.CharField(max_length=200, blank=True)
    opted_out_on = models.DateField(null=True, blank=True)
    opt_out_approved_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="+",
    )
    opt_out_reason = models.TextField(blank=True)

    class Meta:
        ordering = ["-pk"]
        verbose_name = gettext_lazy("FIDE opt-in")
        permissions = [
            ("enter_opt_in", gettext_lazy("Can enter that a member opts in")),
            ("approve_opt_out", gettext_lazy("Can approve that a member opts out")),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["player"],
                condition=Q(opted_out_on=None),
                name="one_open_opt_in_per_member",
                violation_error_message=gettext_lazy(
                    "This member has opted in already."
                ),
            ),
            models.CheckConstraint(
                condition=Q(
                    opted_out_on=None, opt_out_approved_by=None, opt_out_reason=""
                )
                | (
                    Q(opted_out_on__isnull=False, opt_out_approved_by__isnull=False)
                    & ~Q(opt_out_reason="")
                ),
                name="opt_out_is_approved_with_a_reason",
                violation_error_message=gettext_lazy(
                    "Opting out needs the Executive Director."
                ),
            ),
            models.CheckConstraint(
                condition=Q(opted_out_on=None) | Q(opted_out_on__gte=F("opted_in_on")),
                name="opt_out_comes_after_the_opt_in",
                violation_error_message=gettext_lazy(
                    "Nobody opts out before opting in."
                ),
            ),
        ]

    def __str__(self) -> str:
        return _("{player}, opted in {opted_in_on}").format(
            player=self.player, opted_in_on=self.opted_in_on
        )
