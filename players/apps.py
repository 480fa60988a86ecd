from django.apps import AppConfig
from django.db.models.signals import post_migrate
from django.urls import register_converter


class PlayersConfig(AppConfig):
    name = "players"

    def ready(self) -> None:
        """Register jobs, hooks, previews, the URL converter and email forwarding."""
        from players.claims import hooks as claims  # noqa: F401
        from players.claims import pages as claim_pages  # noqa: F401
        from players.claims import tasks as mail  # noqa: F401
        from players.external import previews as external  # noqa: F401
        from players.fide import hooks, pages, tasks  # noqa: F401
        from players.guardians.notices import guardian_addresses
        from players.guardians.queries import linked_members
        from players.identity import pages as pairs  # noqa: F401
        from players.identity import previews as identity  # noqa: F401
        from players.imports import hooks as files  # noqa: F401
        from players.imports import tasks as import_tasks  # noqa: F401
        from players.members.constraints import sync_member_id_constraint
        from players.members.converters import MemberIdConverter
        from players.models.name_viewer import all_names_shown, bind_linked_members
        from players.privacy import hooks as privacy  # noqa: F401
        from players.sharing import hooks as sharing  # noqa: F401
        from ratings_site.common.audit.services import bind_full_names
        from ratings_site.common.notices.services import bind_forwarding_addresses

        bind_forwarding_addresses(guardian_addresses)
        bind_full_names(all_names_shown)
        bind_linked_members(linked_members)
        register_converter(MemberIdConverter, "member")
        post_migrate.connect(sync_member_id_constraint, sender=self)
