from django.contrib.auth.models import AbstractUser


class User(AbstractUser):
    """An account. Who the person is to the federation stands in ``players``."""

    def __str__(self) -> str:
        return self.get_full_name() or self.username
