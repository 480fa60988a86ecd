"""Names of background jobs, as pages show them."""

from django.utils.translation import gettext_lazy

NAMES = {
    "clear_sessions": gettext_lazy("Delete expired sessions"),
    "delete_old_uploads": gettext_lazy("Delete old uploads"),
    "forget_webhook_messages": gettext_lazy("Delete old webhook messages"),
    "deliver_webhook": gettext_lazy("Send webhook message"),
    "fan_out_webhooks": gettext_lazy("Create webhook messages"),
    "mail_account_letter": gettext_lazy("Email account message"),
    "mail_notices": gettext_lazy("Email notices"),
    "send_mail": gettext_lazy("Send email"),
    "mail_claim_code": gettext_lazy("Email link code"),
    "mail_invitation": gettext_lazy("Email invitation"),
    "mail_offer": gettext_lazy("Email account offer"),
    "offer_own_accounts": gettext_lazy("Offer accounts to adult members"),
    "recount_findings": gettext_lazy("Update issue counts"),
    "empty_intakes": gettext_lazy("Delete personal data of old imports"),
    "read_intake": gettext_lazy("Read import file"),
    "enter_intake": gettext_lazy("Import file"),
    "undo_intake": gettext_lazy("Undo import"),
    "import_fide_list": gettext_lazy("Import FIDE list"),
    "tidy_fide_lists": gettext_lazy("Clean up FIDE lists"),
    "rate_section": gettext_lazy("Rate section"),
    "rate_foreign": gettext_lazy("Rate foreign results"),
    "rerate": gettext_lazy("Rerate"),
    "experiment": gettext_lazy("Experiment"),
    "standing_comparison": gettext_lazy("Monthly comparison of rating systems"),
    "make_open_files": gettext_lazy("Create open data files"),
    "count_ratings": gettext_lazy("Update rating statistics"),
    "tell_of_sections": gettext_lazy("Send notices: rated sections"),
    "tell_of_rerate": gettext_lazy("Send notices: rerate"),
    "tell_of_undone_rerate": gettext_lazy("Send notices: rerate undone"),
    "tell_of_list": gettext_lazy("Send notices: official list"),
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
