from django.apps import AppConfig


class RatingsConfig(AppConfig):
    name = "ratings"

    def ready(self) -> None:
        """Listen to the events, and add the checks that need ratings."""
        from ratings import receivers  # noqa: F401
        from ratings.corrections import queries as corrections  # noqa: F401
        from ratings.experiments import tasks as laboratory_tasks  # noqa: F401
        from ratings.foreign import tasks as foreign_tasks  # noqa: F401
        from ratings.ledger import tasks  # noqa: F401
        from ratings.ledger.queries import reported  # noqa: F401
        from ratings.lists import tasks as list_tasks  # noqa: F401
        from ratings.notices import tasks as notice_tasks  # noqa: F401
        from ratings.notices import webhooks as webhook_receivers  # noqa: F401
        from ratings.office import queries as office  # noqa: F401
        from ratings.open_data import tasks as open_data_tasks  # noqa: F401
        from ratings.report_checks.queries import controls as checks  # noqa: F401
        from ratings.report_checks.queries import identity as identity_checks  # noqa: F401
        from ratings.report_checks.queries import plausibility  # noqa: F401
        from ratings.report_checks.queries import schedules as schedule_checks  # noqa: F401
        from ratings.rerates import tasks as rerate_tasks  # noqa: F401
