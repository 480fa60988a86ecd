from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy


class PlayerMerge(models.Model):
    """Two member numbers found to be one person.

    The merged number stays, with everything that was played under it, and points to
    the kept one. ``moved`` says what came along, so that an undo can give it back:
    fields that the kept record lacked, and the rows below the merged one.
    """

    kept = models.ForeignKey(
        "players.Player", on_delete=models.PROTECT, related_name="merges"
    )
    merged = models.ForeignKey(
        "players.Player", on_delete=models.PROTECT, related_name="merges_into_others"
    )
    at = models.DateTimeField(auto_now_add=True)
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    reason = models.TextField()
    moved: Any = models.JSONField(default=dict)
    undone_at = models.DateTimeField(null=True, blank=True)
    undone_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="+",
    )
    undo_reason = models.TextField(blank=True)

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["merged"],
                condition=Q(undone_at=None),
                name="a_number_is_merged_once_at_a_time",
                violation_error_message=gettext_lazy("This member is merged already."),
            ),
            models.CheckConstraint(
                condition=~Q(kept=F("merged")), name="merge_joins_two_numbers"
            ),
            models.CheckConstraint(condition=~Q(reason=""), name="merge_has_a_reason"),
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
    """A suspected pair of duplicates that staff have found to be two people."""

    first = models.ForeignKey(
        "players.Player", on_delete=models.PROTECT, related_name="+"
    )
    second = models.ForeignKey(
        "players.Player", on_delete=models.PROTECT, related_name="+"
    )
    at = models.DateTimeField(auto_now_add=True)
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    reason = models.TextField()

    class Meta:
        ordering = ["-pk"]
        verbose_name_plural = gettext_lazy("not the same person")
        constraints = [
            models.UniqueConstraint(
                fields=["first", "second"],
                name="a_pair_is_told_apart_once",
                violation_error_message=gettext_lazy(
                    "These two have been told apart already."
                ),
            ),
            models.CheckConstraint(
                condition=Q(first__lt=F("second")),
                name="a_pair_told_apart_begins_with_the_older_record",
            ),
            models.CheckConstraint(
                condition=~Q(reason=""), name="telling_apart_has_a_reason"
            ),
        ]

    def __str__(self) -> str:
        return _("{first} is not {second}").format(first=self.first, second=self.second)
