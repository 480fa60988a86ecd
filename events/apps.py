from django.apps import AppConfig
from django.db.models.signals import post_migrate


class EventsConfig(AppConfig):
    name = "events"

    def ready(self) -> None:
        from events.checks import tasks  # noqa: F401
        from events.intake import office as files  # noqa: F401
        from events.notices import services as notices  # noqa: F401
        from events.office.groups import fill_groups
        from events.office.services import newcomers  # noqa: F401
        from events.reports import notices as report_notices  # noqa: F401

        post_migrate.connect(
            fill_groups, dispatch_uid="events.office.groups.fill_groups"
        )
