from django.apps import AppConfig
from django.conf import settings
from django.db.models.signals import post_migrate
from django.urls import register_converter
from django.utils.translation import gettext_lazy as _


class CommonConfig(AppConfig):
    """Accounts, audit log, jobs, approvals and database utilities."""

    name = "ratings_site.common"
    label = "common"
    verbose_name = _("System")

    def ready(self) -> None:
        """Register job handlers, signal receivers, converters and cache triggers."""
        from ratings_site.common.api_keys import services as api_keys  # noqa: F401
        from ratings_site.common.approvals import tasks as approvals  # noqa: F401
        from ratings_site.common.db.cache_version import sync_cache_triggers
        from ratings_site.common.mail import services as mailing  # noqa: F401
        from ratings_site.common.monitoring.errors import start_error_reports
        from ratings_site.common.notices import mail  # noqa: F401
        from ratings_site.common.programs import services as programs  # noqa: F401
        from ratings_site.common.sign_in import mail as letters  # noqa: F401
        from ratings_site.common.sign_in import services as sign_in  # noqa: F401
        from ratings_site.common.ui.converters import MonthConverter
        from ratings_site.common.uploads import tasks as uploads  # noqa: F401
        from ratings_site.common.webhooks import queries  # noqa: F401
        from ratings_site.common.webhooks import services as webhooks  # noqa: F401

        register_converter(MonthConverter, "month")
        post_migrate.connect(sync_cache_triggers, sender=self)
        if settings.SENTRY_DSN:
            start_error_reports()
