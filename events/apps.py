from django.apps import AppConfig
from django.db.models.signals import post_migrate


class EventsConfig(AppConfig):
    name = "events"

    def ready(self) -> None:
        from events.affiliates import services as affiliates  # noqa: F401
        from events.certification import dashboard  # noqa: F401
        from events.certification import hooks as certification  # noqa: F401
        from events.certification import tasks as certification_tasks  # noqa: F401
        from events.checks import tasks  # noqa: F401
        from events.foreign.services import files as foreign_files  # noqa: F401
        from events.imports import hooks  # noqa: F401
        from events.notices import services as notices  # noqa: F401
        from events.reports import notices as report_notices  # noqa: F401
        from events.reports.services import submissions  # noqa: F401
        from events.review import rows  # noqa: F401
        from events.review.groups import sync_groups
        from events.review.services import newcomers  # noqa: F401

        post_migrate.connect(
            sync_groups, dispatch_uid="events.review.groups.sync_groups"
        )
