from django.apps import AppConfig
from django.db.models.signals import post_migrate
from django.urls import register_converter


class CommonConfig(AppConfig):
    """The foundation: accounts, audit, jobs, locks."""

    name = "ratings_site.common"
    label = "common"
    verbose_name = "Foundation"

    def ready(self) -> None:
        """Take up jobs, what is kept of sign-ins, converters; watch what is shown."""
        from ratings_site.common.database.generation import watch_what_is_shown
        from ratings_site.common.looks.converters import MonthConverter
        from ratings_site.common.notices import mail  # noqa: F401
        from ratings_site.common.sign_in import mail as letters  # noqa: F401
        from ratings_site.common.sign_in import services as sign_in  # noqa: F401
        from ratings_site.common.webhooks import queries  # noqa: F401
        from ratings_site.common.webhooks import services as webhooks  # noqa: F401

        register_converter(MonthConverter, "month")
        post_migrate.connect(watch_what_is_shown, sender=self)
