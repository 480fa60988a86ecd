from django.conf import settings
from django.contrib.auth.models import AbstractUser
from django.db import models
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext_lazy

from ratings_site.common.models.keys import optional_account_key


class User(AbstractUser):
    """An account. ``players`` links it to members and guardians."""

    language = models.CharField(
        max_length=10,
        blank=True,
        db_default="",
        help_text=gettext_lazy(
            "Language for notices and emails, such as en. Leave blank for the "
            "office's language."
        ),
    )
    # Denormalized, so that the number in the masthead costs no query
    # (ratings_site.common.notices.services).
    unread_notices = models.PositiveIntegerField(
        default=0, db_default=0, editable=False
    )

    # How many times all sessions of the account were ended.
    sessions_ended = models.PositiveIntegerField(
        gettext_lazy("signed out everywhere at"),
        default=0,
        db_default=0,
        editable=False,
    )

    # Who invited the account to the office, and which other clerk has confirmed that it
    # belongs to a different person (ratings_site.common.accounts.queries).
    invited_by = optional_account_key(editable=False)
    confirmed_by = optional_account_key(editable=False)

    class Meta(AbstractUser.Meta):
        permissions = [
            ("invite_staff", gettext_lazy("Can invite people to work in the office")),
            ("reset_factors", gettext_lazy("Can turn off two-step verification")),
        ]

    def __str__(self) -> str:
        return self.get_full_name() or self.username

    @property
    def preferred_language(self) -> str:
        """Return the account's language, or the office's if it is not available."""
        known = {code for code, _ in settings.LANGUAGES}
        return self.language if self.language in known else settings.LANGUAGE_CODE

    def _get_session_auth_hash(self, secret: str | None = None) -> str:
        """Include the count of ended sessions, so that raising it ends all sessions."""
        known: str = super()._get_session_auth_hash(secret=secret)  # type: ignore[misc]
        if not self.sessions_ended:
            return known
        text = f"{known}:{self.sessions_ended}"
        salt = "common.sessions_ended"
        return salted_hmac(salt, text, secret=secret, algorithm="sha256").hexdigest()
