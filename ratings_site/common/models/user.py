from django.contrib.auth.models import AbstractUser
from django.db import models
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

    def __str__(self) -> str:
        return self.get_full_name() or self.username
