"""What our accounts do otherwise than django-allauth's."""

import logging

from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.stages import EmailVerificationStage

logger = logging.getLogger(__name__)


class OfficeAccountAdapter(DefaultAccountAdapter):
    """Everybody may open an account; what it may do, the office decides."""

    def get_login_stages(self) -> list[str]:
        theirs = "allauth.account.stages.EmailVerificationStage"
        ours = f"{AddressStage.__module__}.{AddressStage.__name__}"
        return [ours if one == theirs else one for one in super().get_login_stages()]

    def send_notification_mail(self, *args, **kwargs) -> None:
        """Tell of a change that has been made, which a silent mail server leaves so."""
        try:
            super().send_notification_mail(*args, **kwargs)
        except OSError:
            logger.exception("Nobody could be told that an account was changed.")


class AddressStage(EmailVerificationStage):
    """Signing in asks for a code by mail while the account's address is not verified.

    An account without any address, as the command line makes one, has none to verify.
    """

    def handle(self):
        user = self.login.user
        if user and not user.email and not user.emailaddress_set.exists():
            return None, True
        return super().handle()
