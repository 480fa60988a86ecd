from django.apps import AppConfig
from django.urls import register_converter


class PlayersConfig(AppConfig):
    name = "players"

    def ready(self) -> None:
        """Register member IDs in addresses, the worker's jobs, the office's desk."""
        from players import notices, tasks  # noqa: F401
        from players.converters import MemberIdConverter
        from players.queries import office  # noqa: F401

        register_converter(MemberIdConverter, "member")
