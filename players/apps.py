from django.apps import AppConfig
from django.urls import register_converter


class PlayersConfig(AppConfig):
    name = "players"

    def ready(self) -> None:
        """Register jobs, hooks, previews, the URL converter and email forwarding."""
        from players.claims import hooks as claims  # noqa: F401
        from players.claims import tasks as mail  # noqa: F401
        from players.external import previews as external  # noqa: F401
        from players.fide import hooks, tasks  # noqa: F401
        from players.guardians.notices import guardian_addresses
        from players.identity import previews as identity  # noqa: F401
        from players.imports import hooks as files  # noqa: F401
        from players.imports import tasks as import_tasks  # noqa: F401
        from players.members.converters import MemberIdConverter
        from ratings_site.common.notices.services import bind_forwarding_addresses

        bind_forwarding_addresses(guardian_addresses)
        register_converter(MemberIdConverter, "member")
