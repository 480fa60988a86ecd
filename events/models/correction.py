from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from events.models.documents import Difference
from ratings_site.common.models.constraints import not_blank, one_of
from ratings_site.common.models.keys import account_key, optional_account_key
from ratings_site.common.models.review_item import ReviewItem


def within_sentence(label: str | Promise) -> str:
    """Return a label as used inside a sentence: TD and ID keep their capitals.

    >>> within_sentence("The TD objects")
    'the TD objects'
    """
    text = str(label)
    return text[:1].lower() + text[1:]


class CorrectionKind(models.TextChoices):
    RESULT = "result", _("Result of a round")
    MEMBER_ID = "member_id", _("Member ID of a player")
    PLAYER = "player", _("Two players swapped")
    MISSING = "missing", _("Missing player")
    DATES = "dates", _("Dates")
    TIME_CONTROL = "time_control", _("Time control")
    TYPE = "type", _("Section type")
    NAME = "name", _("Section name")
    EVENT = "event", _("Event name or place")
    OFFICIAL = "official", _("Tournament director")
    OTHER = "other", _("Something else")


class CorrectionState(models.TextChoices):
    ASKED = "asked", _("Waiting for the TD")
    CONFIRMED = "confirmed", _("Confirmed by the TD")
    OBJECTED = "objected", _("The TD objects")
    APPROVED = "approved", _("Corrected")
    REFUSED = "refused", _("Declined")
    WITHDRAWN = "withdrawn", _("Withdrawn")


class CorrectionRequest(ReviewItem):
    """A request to correct an accepted section.

    *change* is the input of ``events.corrections.changes``; *difference* is its effect
    on the version that the requester saw, in words. A request in words has no change
    until staff restate it as one.
    """

    Kind, State = CorrectionKind, CorrectionState
    OPEN_STATES = (State.ASKED, State.CONFIRMED, State.OBJECTED)
    REASON_FIELD = "decision_reason"

    section = models.ForeignKey(
        "events.Section", on_delete=models.PROTECT, related_name="correction_requests"
    )
    kind = models.CharField(_("type"), max_length=12, choices=Kind.choices)
    change = models.JSONField(default=dict, blank=True)
    change_digest = models.CharField(_("change checksum"), max_length=64)
    difference = models.JSONField(default=list, blank=True)
    text = models.TextField(
        _("explanation"), help_text=_("How the requester knows. Never shown in public.")
    )
    seen_version = models.PositiveSmallIntegerField(
        _("version seen"), help_text=_("Section version that the requester saw.")
    )
    state = models.CharField(max_length=10, choices=State.choices, default=State.ASKED)
    asked_by = account_key(_("requested by"), related_name="correction_requests")
    asked_at = models.DateTimeField(_("requested at"), auto_now_add=True)
    td_by = optional_account_key(_("TD"))
    td_at = models.DateTimeField(_("TD response at"), null=True, blank=True)
    td_note = models.TextField(verbose_name=_("TD note"), blank=True)
    decided_by = optional_account_key()
    decided_at = models.DateTimeField(null=True, blank=True)
    decision_reason = models.TextField(blank=True)
    version = models.OneToOneField(
        "events.SectionVersion",
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="request",
        help_text=_("Section version created by the approval."),
    )

    class Meta:
        ordering = ["-pk"]
        permissions = [("decide_correction", _("Can approve and decline corrections"))]
        indexes = [models.Index(fields=["state", "asked_at"], name="correction_queue")]
        constraints = [
            one_of("kind", CorrectionKind.values, "correction_kind_is_known"),
            one_of("state", CorrectionState.values, "correction_state_is_known"),
            not_blank("text", "correction_request_says_why"),
            models.CheckConstraint(
                condition=~Q(state__in=["confirmed", "objected"])
                | Q(td_by__isnull=False, td_at__isnull=False),
                name="answered_correction_names_the_td",
            ),
            models.CheckConstraint(
                condition=~Q(state__in=["approved", "refused", "withdrawn"])
                | Q(decided_by__isnull=False, decided_at__isnull=False),
                name="decided_correction_has_a_decider",
            ),
            models.CheckConstraint(
                condition=~Q(state__in=["approved", "refused"])
                | ~Q(decision_reason=""),
                name="decided_correction_has_a_reason",
            ),
            models.CheckConstraint(
                condition=Q(state="approved", version__isnull=False)
                | (~Q(state="approved") & Q(version__isnull=True)),
                name="approved_correction_made_a_version",
            ),
            models.UniqueConstraint(
                fields=["section", "change_digest"],
                condition=Q(state__in=["asked", "confirmed", "objected"]),
                name="one_open_request_per_change",
                violation_error_message=_(
                    "This correction has already been requested."
                ),
            ),
        ]

    def __str__(self) -> str:
        return gettext("Correction {pk}: {kind}").format(
            pk=self.pk, kind=self.get_kind_display()
        )

    def get_absolute_url(self) -> str:
        return reverse("events:correction", args=[self.pk])

    @property
    def sentences(self) -> list[str]:
        """Return the effect of the change, one sentence for each difference."""
        return [Difference(*line).sentence for line in self.difference]

    @property
    def kind_in_words(self) -> str:
        """Return the kind for use within a sentence: "member ID of a player"."""
        return within_sentence(self.get_kind_display())

    @property
    def state_in_words(self) -> str:
        """Return the state for use within a sentence: "the TD objects"."""
        return within_sentence(self.get_state_display())
