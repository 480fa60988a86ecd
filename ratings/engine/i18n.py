"""Mark text for translation without importing Django."""


def _(text: str) -> str:
    """Return *text* unchanged; it marks the text for extraction.

    >>> _("Glicko")
    'Glicko'
    """
    return text
