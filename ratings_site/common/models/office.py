import hashlib
import struct
from contextlib import suppress
from functools import cached_property
from threading import Lock
from time import monotonic
from typing import ClassVar
from zoneinfo import ZoneInfo, available_timezones

from django.core.exceptions import ValidationError
from django.db import DatabaseError, models
from django.db.models import Q
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

MOST_OF_A_LOGO = 200_000
LARGEST_SIDE = 2000
PNG_BEGINS = b"\x89PNG\r\n\x1a\n"


def time_zones() -> list[str]:
    """Return the names of all zones that are the same on every machine."""
    return sorted(available_timezones() - {"localtime", "Factory"})


def refuse_unknown_time_zone(name: str) -> None:
    if name not in time_zones():
        raise ValidationError(
            _(
                "No time zone is called {name}. Write one such as America/Chicago."
            ).format(name=name)
        )


def refuse_what_is_no_logo(content: bytes) -> None:
    """Take a PNG of moderate size only: an SVG can hold programs."""
    if len(content) > MOST_OF_A_LOGO:
        raise ValidationError(_("The logo is larger than 200 kB. Save it smaller."))
    head = content[:24]
    if len(head) < 24 or head[:8] != PNG_BEGINS or head[12:16] != b"IHDR":
        raise ValidationError(_("The logo is not a PNG picture. Save it as PNG."))
    if not all(1 <= side <= LARGEST_SIDE for side in struct.unpack(">II", head[16:])):
        raise ValidationError(
            _("The logo is wider or higher than 2,000 pixels. Save it smaller.")
        )


class Office(models.Model):
    """The federation whose office this is: one row, made by ``create_office``."""

    THE_ONE = 1

    name = models.CharField(max_length=60)
    address = models.CharField(max_length=200, blank=True)
    time_zone = models.CharField(
        gettext_lazy("time zone"),
        max_length=50,
        default="UTC",
        validators=[refuse_unknown_time_zone],
        help_text=gettext_lazy("In which days begin and times are shown."),
    )
    issues_ids = models.BooleanField(
        default=False,
        help_text=gettext_lazy("Whether member IDs are issued here."),
    )
    ours_from = models.DateField(
        gettext_lazy("history is ours from"),
        null=True,
        blank=True,
        help_text=gettext_lazy(
            "Events that end on this day or later are rated here. Archives of reports "
            "propose it."
        ),
    )
    logo = models.BinaryField(blank=True, validators=[refuse_what_is_no_logo])

    # Every page shows name and logo, and no page should ask for them: each process
    # reads them when it begins, and now and then after that.
    REREAD_AFTER = 10  # seconds
    shown: ClassVar["Office | None"] = None
    _read_at: ClassVar[float] = 0
    _read_for: ClassVar[str] = ""
    _one_by_one: ClassVar[Lock] = Lock()

    class Meta:
        verbose_name = gettext_lazy("office")
        constraints = [
            models.CheckConstraint(condition=Q(id=1), name="there_is_one_office"),
            models.CheckConstraint(condition=~Q(name=""), name="office_has_a_name"),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def zone(self) -> ZoneInfo:
        return ZoneInfo(self.time_zone)

    @cached_property
    def logo_digest(self) -> str:
        """What tells one logo from the next; nothing without one."""
        content = bytes(self.logo)
        return hashlib.sha256(content).hexdigest()[:16] if content else ""

    @classmethod
    def show(cls) -> None:
        """Let this process show the federation as it is now."""
        cls.shown = cls.objects.first()
        cls._read_at = monotonic()

    @classmethod
    def keep_shown(cls) -> None:
        """Show it as it was seconds ago, also where another process saved it.

        Without a database pages go on with what they knew.
        """
        if monotonic() - cls._read_at > cls.REREAD_AFTER:
            cls._read_at = monotonic()
            with suppress(DatabaseError):
                cls.show()

    @classmethod
    def show_as_of(cls, generation: str) -> None:
        """Show it at least as new as the state of the books that a page is kept for.

        One thread after the other, so that none puts back what it read before.
        """
        with cls._one_by_one:
            if generation != cls._read_for:
                cls.show()
                cls._read_for = generation

    @staticmethod
    def gives_member_ids() -> bool:
        """Tell whether members get their IDs here, and not by a membership system."""
        return not Office.objects.filter(issues_ids=False).exists()

    @classmethod
    def time(cls) -> ZoneInfo | None:
        """The time zone of the office, or none where there is no office yet."""
        return cls.shown.zone if cls.shown else None
