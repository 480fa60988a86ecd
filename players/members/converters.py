"""URL converters for members."""

from django.urls import reverse

from players.formats.member_ids import LONGEST, MEMBER_ID, SHORTEST

_PLACEHOLDER_ID = "00000000"


class MemberIdConverter:
    """A member ID of this office. Other text does not match the URL."""

    regex = f"[0-9A-Z]{{{SHORTEST},{LONGEST}}}"

    def to_python(self, value: str) -> str:
        if not MEMBER_ID.shape.fullmatch(value):
            raise ValueError
        return value

    def to_url(self, value: str) -> str:
        return value


def member_url_prefix(page: str) -> str:
    """Return a page's URL up to the member ID, for pages with many links."""
    return reverse(page, args=[_PLACEHOLDER_ID]).removesuffix(f"{_PLACEHOLDER_ID}/")
