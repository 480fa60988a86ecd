"""Notices to TDs and members about corrections."""

from collections.abc import Collection, Iterable, Iterator
from uuid import uuid4

from django.dispatch import receiver
from django.template.loader import render_to_string
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from events.corrections.queries import td_accounts
from events.models import CorrectionRequest
from events.signals import correction_changed
from players.guardians.queries import notice_recipients, notices_for
from ratings_site.common.notices.services import NoticeDraft, notify, register

CORRECTION = register(
    "events.correction",
    gettext_lazy("Corrections"),
    gettext_lazy(
        "Corrections you requested, corrections to your events, and corrections to "
        "your games."
    ),
)


@receiver(correction_changed)
def notify_correction(
    request: CorrectionRequest, concerned: Collection[int] = (), **_: object
) -> None:
    """Notify the requester and TDs; after the correction, also the players.

    The players see the public page, not the request.
    """
    parties = [request.asked_by, *td_accounts(request.section)]
    told = {user.pk for user in parties}
    key = f"correction:{request.pk}:{uuid4().hex}"  # the same step may be repeated
    to_players = _to_players(request, concerned, told, key) if concerned else ()
    notify([*_to_parties(request, told, key), *to_players])


def _to_parties(
    request: CorrectionRequest, accounts: Iterable[int], key: str
) -> list[NoticeDraft]:
    return [
        NoticeDraft(
            CORRECTION,
            account,
            key,
            request.get_absolute_url(),
            lambda: _correction(request),
        )
        for account in accounts
    ]


def _to_players(
    request: CorrectionRequest, players: Collection[int], told: set[int], key: str
) -> Iterator[NoticeDraft]:
    url = request.section.event.get_absolute_url()
    for player, readers in notice_recipients(players).items():
        yield from notices_for(
            [reader for reader in readers if reader.account not in told],
            CORRECTION,
            key,
            url,
            lambda: _corrected(request),
            member=player,
        )


def _correction(request: CorrectionRequest) -> tuple[str, str]:
    title = _("Correction of {event}: {state}").format(
        event=request.section.event.name, state=request.state_in_words
    )
    return title, _text("notice", request)


def _corrected(request: CorrectionRequest) -> tuple[str, str]:
    title = _("{event} was corrected").format(event=request.section.event.name)
    return title, _text("member_notice", request)


def _text(template: str, request: CorrectionRequest) -> str:
    section = request.section
    return render_to_string(
        f"events/corrections/{template}.txt",
        {"request": request, "event": section.event, "section": section},
    )
