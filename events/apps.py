from django.apps import AppConfig
from django.db.models.signals import post_migrate


class EventsConfig(AppConfig):
    name = "events"

    def ready(self) -> None:
        from events.groups import fill_office_group

        post_migrate.connect(
            fill_office_group, dispatch_uid="events.groups.fill_office_group"
        )
