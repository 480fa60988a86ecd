"""Following players, and sharing a rating: what a child's guardian decides."""

from secrets import token_urlsafe

from django.db import models
from django.urls import reverse
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from players.models.keys import player_key
from ratings_site.common.models.constraints import one_of
from ratings_site.common.models.keys import owner_key


class Follow(models.Model):
    """An account that gets a notice when a player is rated.

    Only the account itself sees it: neither the player nor the public.
    """

    account = owner_key("follows")
    player = player_key("follows", on_delete=models.CASCADE)
    since = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["account", "player"], name="account_follows_a_player_once"
            )
        ]

    def __str__(self) -> str:
        return str(self.player)


class GuardianConsent(models.Model):
    """A guardian's consent to following, sharing, or sign-in at other sites.

    It is deleted when a guardian withdraws it, or when the account that gave it is no
    longer a guardian's. From 18 on none is needed.
    """

    class Kind(models.TextChoices):
        FOLLOW = "follow", _("Others can follow this player")
        SHARE = "share", _("The rating can be shared")
        SIGN_IN = "sign_in", _("The child’s account can sign in to other sites")

    player = player_key("guardian_consents", on_delete=models.CASCADE)
    kind = models.CharField(_("type"), max_length=10, choices=Kind.choices)
    account = owner_key("consents")
    since = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            one_of(
                "kind", ["follow", "share", "sign_in"], "guardian_consent_kind_is_known"
            ),
            models.UniqueConstraint(
                fields=["player", "kind"], name="one_consent_per_child_and_kind"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.player}: {self.get_kind_display()}"


class ShareLink(models.Model):
    """A public page with a player's official rating, at an address with a secret.

    Deleting it revokes the address.
    """

    player = player_key("share_links", on_delete=models.CASCADE)
    account = owner_key("share_links")
    token = models.CharField(max_length=43, unique=True, default=token_urlsafe)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["player", "account"],
                name="one_share_link_per_player_and_account",
            )
        ]

    def __str__(self) -> str:
        return gettext("Share link for {player}").format(player=self.player)

    def get_absolute_url(self) -> str:
        return reverse("ratings:shared", args=[self.token])
