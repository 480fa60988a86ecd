"""URL path converters."""

from datetime import date


class MonthConverter:
    """A month such as 2024-06, as the date of its first day."""

    regex = "[0-9]{4}-[0-9]{2}"

    def to_python(self, value: str) -> date:
        return date.fromisoformat(f"{value}-01")

    def to_url(self, value: date | str) -> str:
        return value if isinstance(value, str) else f"{value:%Y-%m}"
