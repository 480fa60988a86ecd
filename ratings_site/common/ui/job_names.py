"""Names of background jobs, as pages show them."""

from django.utils.translation import gettext_lazy as _

NAMES = {
    "export_office": _("Export all data"),
    "delete_old_exports": _("Delete old exports"),
    "clear_sessions": _("Delete expired sessions"),
    "delete_old_uploads": _("Delete old uploads"),
    "forget_webhook_messages": _("Delete old webhook messages"),
    "deliver_webhook": _("Send webhook message"),
    "fan_out_webhooks": _("Create webhook messages"),
    "mail_account_letter": _("Email account message"),
    "mail_notices": _("Email notices"),
    "send_mail": _("Send email"),
    "mail_claim_code": _("Email link code"),
    "mail_invitation": _("Email invitation"),
    "mail_offer": _("Email account offer"),
    "offer_own_accounts": _("Offer accounts to adult members"),
    "bulk_action": _("Bulk action"),
    "accept_reports": _("Accept reports"),
    "recount_findings": _("Update issue counts"),
    "empty_intakes": _("Delete personal data of old imports"),
    "read_intake": _("Read import file"),
    "enter_intake": _("Import file"),
    "undo_intake": _("Undo import"),
    "import_fide_list": _("Import FIDE list"),
    "tidy_fide_lists": _("Clean up FIDE lists"),
    "rate_section": _("Rate section"),
    "rate_foreign": _("Rate foreign results"),
    "rerate": _("Rerate"),
    "experiment": _("Experiment"),
    "standing_comparison": _("Monthly comparison of rating systems"),
    "make_open_files": _("Create open data files"),
    "make_open_lists": _("Create open files of a rating list"),
    "record_titles": _("Record norm titles"),
    "count_ratings": _("Update rating statistics"),
    "tell_of_sections": _("Send notices: rated sections"),
    "tell_of_rerate": _("Send notices: rerate"),
    "tell_of_undone_rerate": _("Send notices: rerate undone"),
    "tell_of_list": _("Send notices: official list"),
}


def job_name(kind: str) -> str:
    """Return the name of a kind of job, or one derived from its code.

    >>> job_name("ratings.rate_section")
    'Rate section'
    >>> job_name("test.some_work")
    'Some work'
    """
    code = kind.rpartition(".")[2]
    return str(NAMES.get(code) or code.replace("_", " ").capitalize())
