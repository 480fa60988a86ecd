from django.apps import AppConfig


class RatingsConfig(AppConfig):
    name = "ratings"

    def ready(self) -> None:
        """Listen to the events, and add the checks that need ratings."""
        from ratings import (  # noqa: F401
            checks,
            foreign_tasks,
            identity_checks,
            laboratory_tasks,
            list_tasks,
            notice_tasks,
            open_data_tasks,
            plausibility,
            receivers,
            schedule_checks,
            tasks,
            webhook_receivers,
        )
        from ratings.queries import corrections, office, reported  # noqa: F401
