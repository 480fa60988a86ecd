from django.conf import settings
from django.contrib.auth.models import AbstractUser
from django.db import models
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext_lazy


class User(AbstractUser):
    """An account. Who the person is to the federation stands in ``players``."""

    language = models.CharField(
        max_length=10,
        blank=True,
        db_default="",
        help_text=gettext_lazy(
            "Of notices and e-mails, such as en; blank is the office's own."
        ),
    )
    # Kept with the account, which every page reads anyway, so that the number in the
    # masthead costs no query (ratings_site.common.notices.services).
    unread_notices = models.PositiveIntegerField(
        default=0, db_default=0, editable=False
    )

    # How often all sessions of the account were ended at once.
    sessions_ended = models.PositiveIntegerField(
        default=0, db_default=0, editable=False
    )

    # Who let the account into the office, and who else has confirmed that somebody
    # else is behind it (ratings_site.common.accounts.queries).
    invited_by = models.ForeignKey(
        "self",
        null=True,
        blank=True,
        editable=False,
        on_delete=models.PROTECT,
        related_name="+",
    )
    confirmed_by = models.ForeignKey(
        "self",
        null=True,
        blank=True,
        editable=False,
        on_delete=models.PROTECT,
        related_name="+",
    )

    class Meta(AbstractUser.Meta):
        permissions = [
            ("invite_staff", gettext_lazy("Can invite people to work in the office")),
            ("reset_factors", gettext_lazy("Can take away a second factor")),
        ]

    def __str__(self) -> str:
        return self.get_full_name() or self.username

    @property
    def reads(self) -> str:
        """Return the language an account reads; one that is gone is the office's."""
        known = {code for code, _ in settings.LANGUAGES}
        return self.language if self.language in known else settings.LANGUAGE_CODE

    def _get_session_auth_hash(self, secret: str | None = None) -> str:
        """Let sessions end by a count too, and not by a new password only."""
        known = super()._get_session_auth_hash(secret=secret)
        if not self.sessions_ended:
            return known
        text = f"{known}:{self.sessions_ended}"
        salt = "common.sessions_ended"
        return salted_hmac(salt, text, secret=secret, algorithm="sha256").hexdigest()
