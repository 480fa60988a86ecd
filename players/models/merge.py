from typing import Any

from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from players.models.keys import player_key
from ratings_site.common.models.constraints import not_blank
from ratings_site.common.models.keys import account_key, optional_account_key


class PlayerMerge(models.Model):
    """Two member IDs found to belong to one person.

    The merged record stays, with everything that was played under it, and points to the
    kept one. ``moved`` records the moved data, so that an undo can restore it: fields
    that were blank in the kept record, and related rows of the merged one.
    """

    kept = player_key("merges", verbose_name=_("kept member"))
    merged = player_key("merges_into_others", verbose_name=_("merged member"))
    at = models.DateTimeField(_("merged at"), auto_now_add=True)
    by = account_key(_("merged by"))
    reason = models.TextField()
    moved: Any = models.JSONField(default=dict)
    undone_at = models.DateTimeField(null=True, blank=True)
    undone_by = optional_account_key()
    undo_reason = models.TextField(blank=True)

    class Meta:
        verbose_name = _("member merge")
        verbose_name_plural = _("member merges")
        ordering = ["-pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["merged"],
                condition=Q(undone_at=None),
                name="a_number_is_merged_once_at_a_time",
                violation_error_message=_("This member has already been merged."),
            ),
            models.CheckConstraint(
                condition=~Q(kept=F("merged")), name="merge_joins_two_numbers"
            ),
            not_blank("reason", "merge_has_a_reason"),
            models.CheckConstraint(
                condition=Q(undone_at=None, undone_by=None, undo_reason="")
                | (
                    Q(undone_at__isnull=False, undone_by__isnull=False)
                    & ~Q(undo_reason="")
                ),
                name="undone_merge_says_when_who_and_why",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.merged} into {self.kept}"


class NotSamePerson(models.Model):
    """A pair of suspected duplicates that staff found to be two people."""

    first = player_key("+", verbose_name=_("first member"))
    second = player_key("+", verbose_name=_("second member"))
    at = models.DateTimeField(_("confirmed at"), auto_now_add=True)
    by = account_key(_("confirmed by"))
    reason = models.TextField()

    class Meta:
        verbose_name = _("pair of different people")
        ordering = ["-pk"]
        verbose_name_plural = _("pairs of different people")
        constraints = [
            models.UniqueConstraint(
                fields=["first", "second"],
                name="a_pair_is_told_apart_once",
                violation_error_message=_(
                    "These two members are already confirmed as different people."
                ),
            ),
            models.CheckConstraint(
                condition=Q(first__lt=F("second")),
                name="a_pair_told_apart_begins_with_the_older_record",
            ),
            not_blank("reason", "telling_apart_has_a_reason"),
        ]

    def __str__(self) -> str:
        return gettext("{first} and {second} are different people").format(
            first=self.first, second=self.second
        )
