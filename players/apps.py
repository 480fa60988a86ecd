from django.apps import AppConfig
from django.urls import register_converter


class PlayersConfig(AppConfig):
    name = "players"

    def ready(self) -> None:
        """Take up the jobs, say what waits and whose e-mails a guardian gets."""
        from players.claims import office as claims  # noqa: F401
        from players.claims import tasks as mail  # noqa: F401
        from players.external import office as external  # noqa: F401
        from players.fide import office, tasks  # noqa: F401
        from players.guardians.notices import guardians_instead
        from players.identity import office as identity  # noqa: F401
        from players.intake import office as files  # noqa: F401
        from players.intake import tasks as intake_tasks  # noqa: F401
        from players.members.converters import MemberIdConverter
        from ratings_site.common.notices.services import bind_addresses

        bind_addresses(guardians_instead)
        register_converter(MemberIdConverter, "member")
