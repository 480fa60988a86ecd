"""URL converters for members."""

from django.urls import reverse

_PLACEHOLDER_ID = "00000000"


class MemberIdConverter:
    """A member ID: eight digits. Other text does not match the URL."""

    regex = "[0-9]{8}"

    def to_python(self, value: str) -> str:
        return value

    def to_url(self, value: str) -> str:
        return value


def member_url_prefix(page: str) -> str:
    """Return a page's URL up to the member ID, for pages with many links."""
    return reverse(page, args=[_PLACEHOLDER_ID]).removesuffix(f"{_PLACEHOLDER_ID}/")
