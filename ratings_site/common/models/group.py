from django.db import models


class GivenPermission(models.Model):
    """A permission that a migration has granted to a group, so that none is repeated.

    Permissions that a federation removes or adds survive an upgrade.
    """

    group = models.ForeignKey("auth.Group", on_delete=models.CASCADE, related_name="+")
    permission = models.ForeignKey(
        "auth.Permission", on_delete=models.CASCADE, related_name="+"
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["group", "permission"], name="permission_is_given_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.group}: {self.permission}"
