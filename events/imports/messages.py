"""Messages for rejected rows of affiliates or directors."""

from django.utils.translation import gettext_lazy

COLUMNS = {
    "affiliate_id": gettext_lazy("Affiliate ID"),
    "level": gettext_lazy("Level"),
    "certified_until": gettext_lazy("Certified until"),
    "affiliates": gettext_lazy("Affiliates"),
}

MESSAGES = {
    "no_affiliate_id": gettext_lazy(
        "“{cell}” is not an affiliate ID. An ID is a letter and 7 digits."
    ),
    "level_unknown": gettext_lazy(
        "“{cell}” is not a level. Use club, local, senior, antd or national."
    ),
    "affiliate_unknown": gettext_lazy(
        "No affiliate has the ID “{cell}”. Import the affiliates first."
    ),
    "director_unknown": gettext_lazy(
        "No member has the ID “{cell}”. Import the members first."
    ),
    "key_twice": gettext_lazy("Line {line} already has this ID."),
    "new_lacks": gettext_lazy("A new record also needs: {missing}."),
    "record_changed_since": gettext_lazy(
        "{cell} (line {line}) has changed since then. Nothing was undone."
    ),
    "record_rested_on": gettext_lazy(
        "Other records already depend on {cell}. Nothing was undone."
    ),
}
