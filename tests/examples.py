"""How many examples the tests of properties try."""

from hypothesis import settings


def searching() -> bool:
    """Tell whether this is `make fuzz`."""
    return settings.get_current_profile_name() == "search"


def tries(most: int) -> int:
    """Return *most* in `make fuzz`, and a sixth of it in the ordinary suite."""
    return most if searching() else -(-most // 6)
