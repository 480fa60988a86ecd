"""How many examples the tests of properties try."""

from hypothesis import settings


def tries(most: int) -> int:
    """Return *most* in `make fuzz`, and a third of it in the ordinary suite."""
    searching = settings.get_current_profile_name() == "search"
    return most if searching else -(-most // 3)
