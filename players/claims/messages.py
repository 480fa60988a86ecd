"""Messages for why a line of an invitation list is refused."""

from django.utils.translation import gettext_lazy as _

COLUMNS = {"whom": _("Invited as"), "on_record": _("Email on record")}

MESSAGES = {
    "invited_unknown": _("No member has the ID “{cell}”."),
    "invited_deceased": _("This member’s record is closed."),
    "role_unknown": _(
        "Invited as: “{cell}” isn’t a valid value. Use member or guardian."
    ),
    "too_young_for_account": _(
        "The member is younger than 13. Invite a parent or guardian."
    ),
    "needs_no_guardian": _("The member is an adult and needs no guardian."),
    "has_account": _("The member already has an account."),
    "has_guardian": _("A parent’s account is already linked to the member."),
    "invited_already": _(
        "This person already has an open invitation from the last 14 days."
    ),
    "no_address": _(
        "The line has no email and none is on record. Add one, or create a "
        "link for this member and give it to them."
    ),
    "may_not_invite": _("Your account can import files but can’t invite members."),
}
