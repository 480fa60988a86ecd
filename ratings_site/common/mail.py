"""E-mail to people with accounts. A job sends it, so a mail server that is down costs
nobody a page; what it refuses is tried again."""

from collections.abc import Iterable
from typing import Any
from uuid import uuid4

from django.conf import settings
from django.core.mail import send_mail
from django.template.loader import render_to_string

from ratings_site.common.jobs import ClaimedJob, enqueue, handles
from ratings_site.common.models import User

SEND_MAIL = "common.send_mail"


def send(
    to_users: Iterable[User], *, subject: str, template: str, context: dict[str, Any]
) -> None:
    """Queue one e-mail to each of these people, in the transaction of the act.

    Nobody sees who else gets it. *template* is plain text; it may begin links with
    ``{{ site }}``. Accounts without an address, or closed, get nothing.
    """
    body = render_to_string(template, {**context, "site": settings.SITE_URL})
    for user in dict.fromkeys(to_users):
        if user.is_active and user.email:
            enqueue(
                SEND_MAIL,
                key=uuid4().hex,
                args={
                    "user": user.pk,
                    "subject": " ".join(subject.split()),
                    "body": body,
                },
            )


@handles(SEND_MAIL)
def send_queued(job: ClaimedJob) -> None:
    """Send it to the address the account has now."""
    user = User.objects.filter(pk=job.args["user"], is_active=True).first()
    if user is not None and user.email:
        send_mail(job.args["subject"], job.args["body"], None, [user.email])
