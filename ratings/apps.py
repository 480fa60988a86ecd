from django.apps import AppConfig


class RatingsConfig(AppConfig):
    name = "ratings"

    def ready(self) -> None:
        """Listen to the events, and add the checks that need ratings."""
        from ratings import checks, receivers, tasks  # noqa: F401
