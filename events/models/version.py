from django.db import models
from django.db.models import Q
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from ratings_site.common.models.constraints import not_blank
from ratings_site.common.models.keys import optional_account_key


class SectionVersion(models.Model):
    """A version of a section. Corrections add a version and change none.

    *document* is the section as JSON text by ``events.records.services.versions``:
    name, dates, time control, entries, games and unplayed rounds.
    """

    section = models.ForeignKey(
        "events.Section", on_delete=models.PROTECT, related_name="versions"
    )
    number = models.PositiveSmallIntegerField()
    document = models.TextField()
    digest = models.CharField(max_length=64)
    reason = models.TextField(
        help_text=_("Why this version was created. Shown to the public.")
    )
    made_by = optional_account_key(_("created by"))
    made_at = models.DateTimeField(_("created at"), auto_now_add=True)

    class Meta:
        ordering = ["section", "number"]
        constraints = [
            models.UniqueConstraint(
                fields=["section", "number"], name="section_version_number_once"
            ),
            models.CheckConstraint(
                condition=Q(number__gte=1), name="section_versions_begin_with_one"
            ),
            not_blank("reason", "section_version_says_why"),
        ]

    def __str__(self) -> str:
        return gettext("{section}, version {number}").format(
            section=self.section, number=self.number
        )


class PackedSection(models.Model):
    """The current version of a section in the packed form that replays read.

    Members, games and the facts that decide the rules, as bytes
    (``events.records.services.packing``). It can be rebuilt from entries and games at
    any time.
    """

    section = models.OneToOneField(
        "events.Section",
        on_delete=models.CASCADE,
        related_name="packed",
        primary_key=True,
    )
    version = models.PositiveSmallIntegerField(default=1)
    data = models.BinaryField()
    digest = models.CharField(max_length=64)

    def __str__(self) -> str:
        return gettext("{section_id}, version {version}").format(
            section_id=self.section_id, version=self.version
        )
