from django.apps import AppConfig


class RatingsConfig(AppConfig):
    name = "ratings"

    def ready(self) -> None:
        """Listen to the events, and add the checks that need ratings."""
        from ratings import (  # noqa: F401
            checks,
            foreign_tasks,
            list_tasks,
            receivers,
            tasks,
        )
        from ratings.queries import corrections, office  # noqa: F401
