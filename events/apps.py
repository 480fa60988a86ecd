from django.apps import AppConfig
from django.db.models.signals import post_migrate


class EventsConfig(AppConfig):
    name = "events"

    def ready(self) -> None:
        from events import notices  # noqa: F401
        from events.groups import fill_groups

        post_migrate.connect(fill_groups, dispatch_uid="events.groups.fill_groups")
