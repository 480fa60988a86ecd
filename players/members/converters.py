"""Parts of addresses that stand for a member."""

from django.urls import reverse

_NOBODY = "00000000"


class MemberIdConverter:
    """A member ID: eight digits. With any other text there, an address is none."""

    regex = "[0-9]{8}"

    def to_python(self, value: str) -> str:
        return value

    def to_url(self, value: str) -> str:
        return value


def before_member_id(page: str) -> str:
    """Return a page's address up to the member ID, for those that link many."""
    return reverse(page, args=[_NOBODY]).removesuffix(f"{_NOBODY}/")
