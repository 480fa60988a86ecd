"""Messages for rejected rows of affiliates or directors."""

from django.utils.translation import gettext_lazy as _

COLUMNS = {
    "affiliate_id": _("Affiliate ID"),
    "level": _("Level"),
    "certified_until": _("Certified until"),
    "affiliates": _("Affiliates"),
    "safe_play_until": _("Safe Play until"),
}

MESSAGES = {
    "no_affiliate_id": _(
        "“{cell}” is not an affiliate ID. An ID is a letter and 7 digits."
    ),
    "level_unknown": _(
        "“{cell}” is not a level. Use club, local, senior, antd, or national."
    ),
    "affiliate_unknown": _(
        "No affiliate has the ID “{cell}”. Import the affiliates first."
    ),
    "director_unknown": _("No member has the ID “{cell}”. Import the members first."),
    "key_twice": _("Line {line} already has this ID."),
    "new_lacks": _("A new record also needs: {missing}."),
    "record_changed_since": _(
        "{cell} (line {line}) has changed since then. Nothing was undone."
    ),
    "record_rested_on": _(
        "Other records already depend on {cell}. Nothing was undone."
    ),
}
