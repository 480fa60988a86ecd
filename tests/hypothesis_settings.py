"""Numbers of examples of property tests."""

from hypothesis import settings


def is_search_profile() -> bool:
    """Return whether this is `make fuzz`."""
    return settings.get_current_profile_name() == "search"


def example_count(most: int) -> int:
    """Return *most* in `make fuzz`, and a sixth of it in the ordinary suite."""
    return most if is_search_profile() else -(-most // 6)
