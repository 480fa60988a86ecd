from django.apps import AppConfig
from django.urls import register_converter


class PlayersConfig(AppConfig):
    name = "players"

    def ready(self) -> None:
        """Register member IDs in addresses, the worker's jobs, the office's desk."""
        from players.fide import (
            office,  # noqa: F401
            tasks,  # noqa: F401
        )
        from players.guardians import notices  # noqa: F401
        from players.members.converters import MemberIdConverter

        register_converter(MemberIdConverter, "member")
