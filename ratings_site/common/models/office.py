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
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

MAX_LOGO_BYTES = 200_000
MAX_LOGO_SIDE = 2000
MAX_REASON = 200
PNG_SIGNATURE = b"\x89PNG\r\n\x1a\n"


def time_zones() -> list[str]:
    """Return the names of all time zones that do not depend on the machine."""
    return sorted(available_timezones() - {"localtime", "Factory"})


def validate_time_zone(name: str) -> None:
    if name not in time_zones():
        raise ValidationError(
            gettext(
                "There is no time zone named {name}. Enter one such as America/Chicago."
            ).format(name=name)
        )


def validate_logo(content: bytes) -> None:
    """Raise ValidationError unless a logo is a small PNG: an SVG can hold scripts."""
    if len(content) > MAX_LOGO_BYTES:
        raise ValidationError(
            gettext("The logo is larger than 200 kB. Save it smaller.")
        )
    head = content[:24]
    if len(head) < 24 or head[:8] != PNG_SIGNATURE or head[12:16] != b"IHDR":
        raise ValidationError(gettext("The logo is not a PNG picture. Save it as PNG."))
    if not all(1 <= side <= MAX_LOGO_SIDE for side in struct.unpack(">II", head[16:])):
        raise ValidationError(
            gettext("The logo is more than 2,000 pixels wide or high. Save it smaller.")
        )


class Office(models.Model):
    """The federation that runs this site: one row, created by ``create_office``."""

    SINGLETON_ID = 1

    name = models.CharField(max_length=60)
    address = models.CharField(max_length=200, blank=True)
    time_zone = models.CharField(
        _("time zone"),
        max_length=50,
        default="UTC",
        validators=[validate_time_zone],
        help_text=_("Used for dates and times across the site."),
    )
    issues_ids = models.BooleanField(
        _("assigns member IDs"),
        default=False,
        help_text=_("This office assigns member IDs."),
    )
    ours_from = models.DateField(
        _("our records start on"),
        null=True,
        blank=True,
        help_text=_(
            "Events that end on or after this date are rated here. Imports of past "
            "events suggest it."
        ),
    )
    logo = models.BinaryField(blank=True, validators=[validate_logo])
    # While it has a text, for people, nothing can be changed (`manage.py maintenance`).
    read_only_reason = models.CharField(
        max_length=MAX_REASON, blank=True, editable=False
    )
    # The end of the last backup (`manage.py record_backup`).
    backed_up_at = models.DateTimeField(null=True, blank=True, editable=False)

    # Every page shows name and logo, and none should query for them: each process
    # loads them when it starts and refreshes them from time to time.
    REFRESH_SECONDS = 10  # seconds
    current: ClassVar["Office | None"] = None
    _refreshed_at: ClassVar[float] = 0
    _refreshed_for: ClassVar[str] = ""
    _refresh_lock: ClassVar[Lock] = Lock()

    class Meta:
        verbose_name = _("office")
        permissions = [("export_office", _("Can export all data of the office"))]
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
        """Return a short digest of the logo, or "" without a logo."""
        content = bytes(self.logo)
        return hashlib.sha256(content).hexdigest()[:16] if content else ""

    @classmethod
    def refresh(cls) -> None:
        """Load the federation's row into this process."""
        cls.current = cls.objects.first()
        cls._refreshed_at = monotonic()

    @classmethod
    def refresh_if_stale(cls) -> None:
        """Refresh after some seconds, because another process may have saved it.

        Without a database the last known values are kept.
        """
        if monotonic() - cls._refreshed_at > cls.REFRESH_SECONDS:
            cls._refreshed_at = monotonic()
            with suppress(DatabaseError):
                cls.refresh()

    @classmethod
    def refresh_for_version(cls, cache_version: str) -> None:
        """Refresh once for each cache version.

        The lock keeps a slower thread from restoring older values.
        """
        with cls._refresh_lock:
            if cache_version != cls._refreshed_for:
                cls.refresh()
                cls._refreshed_for = cache_version

    @staticmethod
    def assigns_member_ids() -> bool:
        """Return whether this site assigns member IDs, not a membership system."""
        return not Office.objects.filter(issues_ids=False).exists()

    @classmethod
    def maintenance_reason(cls) -> str:
        """Return why nothing can be changed, as this process last read it, or ""."""
        return cls.current.read_only_reason if cls.current else ""

    @classmethod
    def is_read_only(cls) -> bool:
        """Return whether maintenance mode is on, as this process last read it."""
        return bool(cls.maintenance_reason())

    @classmethod
    def time(cls) -> ZoneInfo | None:
        """Return the office's time zone, or None if there is no office yet."""
        return cls.current.zone if cls.current else None
