from django.apps import AppConfig


class CommonConfig(AppConfig):
    """The foundation: accounts, audit, jobs, locks."""

    name = "ratings_site.common"
    label = "common"
    verbose_name = "Foundation"

    def ready(self) -> None:
        """Let workers know the jobs that belong to the foundation."""
        from ratings_site.common import mail, webhooks  # noqa: F401
