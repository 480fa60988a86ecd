from allauth.account.adapter import DefaultAccountAdapter


class OfficeAccountAdapter(DefaultAccountAdapter):
    """Accounts are opened by the office, which knows who a member is."""

    def is_open_for_signup(self, request) -> bool:
        return False
