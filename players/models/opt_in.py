from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from players.models.keys import player_key
from ratings_site.common.models.keys import account_key, optional_account_key


class FideOptIn(models.Model):
    """A member's opt-in to have events abroad counted for the regular rating.

    It covers events that begin after ``opted_in_on``, up to and including those that
    begin on ``opted_out_on``. It ends only with the Executive Director's approval.
    """

    player = player_key("fide_opt_ins")
    opted_in_on = models.DateField()
    entered_by = account_key()
    by_staff = models.BooleanField(_("entered by staff"), default=False)
    note = models.CharField(max_length=200, blank=True)
    # The member's request, not yet decided.
    opt_out_asked_on = models.DateField(
        _("opt-out requested on"), null=True, blank=True
    )
    opt_out_wish = models.CharField(_("opt-out request"), max_length=200, blank=True)
    opted_out_on = models.DateField(_("opted out on"), null=True, blank=True)
    opt_out_approved_by = optional_account_key(_("opt-out approved by"))
    opt_out_reason = models.TextField(_("opt-out reason"), blank=True)

    class Meta:
        ordering = ["-pk"]
        verbose_name = _("FIDE opt-in")
        permissions = [
            ("enter_opt_in", _("Can record FIDE opt-ins")),
            ("approve_opt_out", _("Can approve FIDE opt-outs")),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["player"],
                condition=Q(opted_out_on=None),
                name="one_open_opt_in_per_member",
                violation_error_message=_("This member has already opted in."),
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
                violation_error_message=_(
                    "Only the Executive Director can approve an opt-out."
                ),
            ),
            models.CheckConstraint(
                condition=Q(opted_out_on=None) | Q(opted_out_on__gte=F("opted_in_on")),
                name="opt_out_comes_after_the_opt_in",
                violation_error_message=_(
                    "The opt-out date is before the opt-in date. Correct one of them."
                ),
            ),
        ]

    def __str__(self) -> str:
        return gettext("{player}, opted in {opted_in_on}").format(
            player=self.player, opted_in_on=self.opted_in_on
        )
