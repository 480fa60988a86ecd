from django.apps import AppConfig


class CommonConfig(AppConfig):
    """The foundation: accounts, audit, jobs, locks."""

    name = "ratings_site.common"
    label = "common"
    verbose_name = "Foundation"

    def ready(self) -> None:
        """Let workers know the jobs that belong to the foundation."""
        from ratings_site.common.notices import mail  # noqa: F401
        from ratings_site.common.webhooks import queries  # noqa: F401
        from ratings_site.common.webhooks import services as webhooks  # noqa: F401
