from django.apps import AppConfig


class PlayersConfig(AppConfig):
    name = "players"

    def ready(self) -> None:
        """Register what the worker does, and what the office's first page says."""
        from players import notices, tasks  # noqa: F401
        from players.queries import office  # noqa: F401
