from allauth.account.forms import LoginForm
from django.utils.translation import gettext_lazy


class OfficeLoginForm(LoginForm):
    """Asks in the words of our other forms."""

    def __init__(self, *args, **kwargs) -> None:
        super().__init__(*args, **kwargs)
        login = self.fields["login"]
        login.label = gettext_lazy("User name or e-mail address")
        login.widget.attrs.pop("placeholder", None)
