"""Emails about an account to its owner, sent by jobs."""

from django.conf import settings
from django.template.loader import render_to_string
from django.utils import translation
from django.utils.translation import gettext_lazy as _

from ratings_site.common.jobs.services import ClaimedJob, handles
from ratings_site.common.mail.services import send
from ratings_site.common.models import User
from ratings_site.common.sign_in.services import MAIL_LETTER, link_to_set_password

# Subjects of the templates in templates/common/letters.
SUBJECTS = {
    "locked": _("Wrong passwords for your account"),
    "wrong_codes": _("Wrong sign-in codes for your account"),
    "factors_reset": _("Two-step verification was turned off"),
    "invited": _("Your account at the ratings office"),
    "joined": _("Your account can now work in the ratings office"),
    "program_allowed": _("A program or site got access to your account"),
}


@handles(MAIL_LETTER)
def send_account_email(job: ClaimedJob) -> None:
    name = job.args["letter"]
    open_accounts = User.objects.filter(is_active=True).exclude(email="")
    user = open_accounts.filter(pk=job.args["account"]).first()
    if user is None:
        return
    context = {
        "user": user,
        "program": job.args.get("program", ""),
        "failures": settings.FAILED_SIGN_INS_PER_HOUR,
        "wrong_codes": settings.WRONG_CODES_BEFORE_LETTER,
        "site": settings.SITE_URL,
        "link": link_to_set_password(user),
    }
    with translation.override(user.preferred_language):
        subject = str(SUBJECTS[name])
        text = render_to_string(f"common/letters/{name}.txt", context)
    with job.keep_alive():
        send(subject, text, user.email)
