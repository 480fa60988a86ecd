from django.apps import AppConfig


class RatingsConfig(AppConfig):
    name = "ratings"

    def ready(self) -> None:
        """Register hooks of the lower apps, jobs, and signal receivers."""
        from events.records.section_rater import bind_section_rater
        from players.members.rating_history import bind_rating_history
        from ratings.decisions.floors import tasks as title_tasks  # noqa: F401
        from ratings.foreign import tasks as foreign_tasks  # noqa: F401
        from ratings.imports import hooks as import_hooks  # noqa: F401
        from ratings.ledger import tasks as ledger_tasks  # noqa: F401
        from ratings.lists import hooks as lists  # noqa: F401
        from ratings.lists import tasks as list_tasks  # noqa: F401
        from ratings.notices import tasks as notice_tasks  # noqa: F401
        from ratings.notices import webhooks  # noqa: F401
        from ratings.office import dashboard  # noqa: F401
        from ratings.office.adapters import LedgerRatingHistory, LedgerSectionRater
        from ratings.open_data import tasks as open_data_tasks  # noqa: F401
        from ratings.pages.my_data import dashboard as my_data  # noqa: F401
        from ratings.previews.effects import pages as effects  # noqa: F401
        from ratings.rerates import tasks as rerate_tasks  # noqa: F401
        from ratings.research.experiments import tasks as experiment_tasks  # noqa: F401
        from ratings.research.monthly import tasks as standing_tasks  # noqa: F401

        bind_section_rater(LedgerSectionRater())
        bind_rating_history(LedgerRatingHistory())
