from django.apps import AppConfig


class CommonConfig(AppConfig):
    """The foundation: accounts, audit, jobs, locks."""

    name = "ratings_site.common"
    label = "common"
    verbose_name = "Foundation"
