"""Messages for why a line of an invitation list is refused."""

from django.utils.translation import gettext_lazy

COLUMNS = {
    "whom": gettext_lazy("Invited as"),
    "on_record": gettext_lazy("Email on record"),
}

MESSAGES = {
    "invited_unknown": gettext_lazy("No member has the ID “{cell}”."),
    "invited_deceased": gettext_lazy("This member’s record is closed."),
    "role_unknown": gettext_lazy(
        "Invited as: “{cell}” isn’t a valid value. Use member or guardian."
    ),
    "too_young_for_account": gettext_lazy(
        "The member is younger than 13. Invite a parent or guardian."
    ),
    "needs_no_guardian": gettext_lazy("The member is an adult and needs no guardian."),
    "has_account": gettext_lazy("The member already has an account."),
    "has_guardian": gettext_lazy("A parent’s account is already linked to the member."),
    "invited_already": gettext_lazy(
        "This person already has an open invitation from the last 14 days."
    ),
    "no_address": gettext_lazy(
        "The line has no email and none is on record. Add one, or create a "
        "link for this member and give it to them."
    ),
    "may_not_invite": gettext_lazy(
        "Your account can import files but can’t invite members."
    ),
}
