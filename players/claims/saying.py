"""The sentences for why nobody is invited for a line of a list."""

from django.utils.translation import gettext_lazy

COLUMNS = {
    "whom": gettext_lazy("Invited as"),
    "on_record": gettext_lazy("E-mail on record"),
}

SENTENCES = {
    "invited_unknown": gettext_lazy("No member has the ID “{cell}”."),
    "invited_deceased": gettext_lazy("The record of this member is closed."),
    "role_unknown": gettext_lazy(
        "Invited as: “{cell}” is not known. Write member or guardian."
    ),
    "too_young_for_account": gettext_lazy(
        "The member is younger than 13. Invite a parent or guardian."
    ),
    "needs_no_guardian": gettext_lazy("The member is of age and needs no guardian."),
    "has_account": gettext_lazy("The member has an account."),
    "has_guardian": gettext_lazy("A parent’s account speaks for the member."),
    "invited_already": gettext_lazy(
        "An invitation of the last 14 days still waits for this person."
    ),
    "no_address": gettext_lazy(
        "The line has no e-mail, and none is on record. Add one, or make a "
        "link for this member alone and hand it over."
    ),
    "may_not_invite": gettext_lazy(
        "Your account may take in files, and may not invite members."
    ),
}
