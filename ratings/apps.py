from django.apps import AppConfig


class RatingsConfig(AppConfig):
    name = "ratings"

    def ready(self) -> None:
        """Answer what the lower apps ask, take up the jobs, listen to what happens."""
        from events.books.rater import bind_rater
        from players.members.careers import bind_careers
        from ratings.effects import office as effects  # noqa: F401
        from ratings.experiments import tasks as experiment_tasks  # noqa: F401
        from ratings.foreign import tasks as foreign_tasks  # noqa: F401
        from ratings.intake import office as files  # noqa: F401
        from ratings.ledger import tasks as ledger_tasks  # noqa: F401
        from ratings.lists import tasks as list_tasks  # noqa: F401
        from ratings.my_data import office as my_data  # noqa: F401
        from ratings.notices import tasks as notice_tasks  # noqa: F401
        from ratings.notices import webhooks  # noqa: F401
        from ratings.office import queries as office  # noqa: F401
        from ratings.office.answers import OfficeCareers, OfficeRater
        from ratings.open_data import tasks as open_data_tasks  # noqa: F401
        from ratings.rerates import tasks as rerate_tasks  # noqa: F401
        from ratings.standing import tasks as standing_tasks  # noqa: F401

        bind_rater(OfficeRater())
        bind_careers(OfficeCareers())
