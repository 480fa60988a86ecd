"""The sentences for why a row of affiliates or directors is not taken."""

from django.utils.translation import gettext_lazy

COLUMNS = {
    "affiliate_id": gettext_lazy("Affiliate ID"),
    "level": gettext_lazy("Level"),
    "certified_until": gettext_lazy("Certified until"),
    "affiliates": gettext_lazy("Affiliates"),
}

SENTENCES = {
    "no_affiliate_id": gettext_lazy(
        "“{cell}” is no affiliate ID: it is a letter and seven digits."
    ),
    "level_unknown": gettext_lazy(
        "“{cell}” is no level. Write club, local, senior, antd or national."
    ),
    "affiliate_unknown": gettext_lazy(
        "No affiliate has the ID “{cell}”. Take in the affiliates first."
    ),
    "director_unknown": gettext_lazy(
        "No member has the ID “{cell}”. Take in the members first."
    ),
    "key_twice": gettext_lazy("Line {line} has this ID already."),
    "new_lacks": gettext_lazy("A new record needs more: {missing}."),
    "record_changed_since": gettext_lazy(
        "{cell} (line {line}) has changed since. Nothing was done."
    ),
    "record_rested_on": gettext_lazy(
        "Something rests on {cell} already. Nothing was undone."
    ),
}
