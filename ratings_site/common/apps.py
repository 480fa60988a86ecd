from django.apps import AppConfig
from django.urls import register_converter


class CommonConfig(AppConfig):
    """The foundation: accounts, audit, jobs, locks."""

    name = "ratings_site.common"
    label = "common"
    verbose_name = "Foundation"

    def ready(self) -> None:
        """Take up the foundation's jobs, what is kept of sign-ins, and converters."""
        from ratings_site.common.looks.converters import MonthConverter
        from ratings_site.common.notices import mail  # noqa: F401
        from ratings_site.common.sign_in import mail as letters  # noqa: F401
        from ratings_site.common.sign_in import services as sign_in  # noqa: F401
        from ratings_site.common.webhooks import queries  # noqa: F401
        from ratings_site.common.webhooks import services as webhooks  # noqa: F401

        register_converter(MonthConverter, "month")
