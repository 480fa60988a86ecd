"""Request TD certification, decide on requests, and warn of expiry."""

from collections.abc import Callable, Iterator
from datetime import date, timedelta
from functools import partial

from django.db import transaction
from django.db.models import Q
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from events.access import td_field, td_records
from events.certification.queries import open_request_of
from events.models import Official
from players.claims.services.claims import (
    MAX_CLAIMS_PER_DAY,
    ClaimRefused,
    close,
    link_account,
    lock_member,
    lock_request,
)
from players.claims.services.claims import PERMISSION as LINK
from players.models import Claim, Player
from ratings_site.common.accounts.permissions import require_permission
from ratings_site.common.audit.services import record
from ratings_site.common.models import User
from ratings_site.common.notices.services import NoticeDraft, notify, register
from ratings_site.common.ui.formatting import long_day

# Permission to change a TD's record includes certifying one.
CERTIFY = "events.change_official"

CERTIFICATION = register(
    "events.certification",
    gettext_lazy("TD certification"),
    gettext_lazy("The office decided on your request to be certified as a TD."),
)
EXPIRY = register(
    "events.certification_expiry",
    gettext_lazy("Expiring TD certification"),
    gettext_lazy(
        "We remind you 90 and 30 days before your TD certification or Safe Play "
        "training expires."
    ),
)
# A TD is warned once when this many days or fewer are left; the shortest first.
WARNING_DAYS = (30, 90)


def ask_for_certification(
    *, player_id: int, text: str, birth_date: date | None, actor: User
) -> Claim:
    """Request to certify a member as a TD and to link the account.

    As with every claim, the answer is the same whatever is on record. Of the birth
    date, only whether it matches is stored.
    """
    with transaction.atomic():
        User.objects.select_for_update().get(pk=actor.pk)  # one request at a time
        player = lock_member(player_id)
        own = getattr(actor, "player", None)
        if own is not None and own.pk != player.pk:
            raise ClaimRefused(
                _(
                    "Your account is linked to {name}. Send a request for {name}."
                ).format(name=own.name)
            )
        if own is not None and _is_certified(own):
            raise ClaimRefused(_("You are already certified. Open My reports."))
        if open_request_of(actor):
            raise ClaimRefused(_("The office already has your request."))
        since = timezone.now() - timedelta(days=1)
        if actor.claims.filter(created_at__gt=since).count() >= MAX_CLAIMS_PER_DAY:
            raise ClaimRefused(
                _("You can send five requests a day. Try again tomorrow.")
            )
        known = player.birth_date
        agrees = None if None in (known, birth_date) else known == birth_date
        request = Claim.objects.create(
            player=player,
            account=actor,
            as_td=True,
            state=Claim.State.ASKED,
            asked_at=timezone.now(),
            text=text,
            birth_date_agrees=agrees,
        )
        facts = {"account": actor.username, "linked": own is not None}
        record("td.asked", subject=player, actor=actor, facts=facts)
    return request


def _is_certified(player: Player) -> bool:
    official = td_records(pk=player.pk).first()
    return official is not None and official.is_certified_on(timezone.localdate())


def certify_td(
    *,
    request_id: int,
    level: str,
    certified_until: date,
    safe_play_until: date | None,
    reason: str,
    actor: User,
) -> Official:
    """Certify the member who asked, link the account if needed, and notify the TD."""
    require_permission(actor, CERTIFY)
    if certified_until < timezone.localdate():
        raise ClaimRefused(_("This day has passed. Enter today or a later date."))
    with transaction.atomic():
        request = lock_request(request_id, actor, as_td=True)
        player = lock_member(request.player_id)
        if player.account_id != request.account_id:
            require_permission(actor, LINK)
            link_account(player, request.account, as_guardian=False, actor=actor)
        on_record = td_records(pk=player.pk).first()
        official, is_new = Official.objects.update_or_create(
            player=on_record.player if on_record else player,
            defaults={
                "level": level,
                "certified_until": certified_until,
                "safe_play_until": safe_play_until,
            },
        )
        record(
            "td.certified",
            subject=player,
            actor=actor,
            reason=reason,
            facts={
                "account": request.account.username,
                "level": level,
                "until": certified_until.isoformat(),
                "safe_play": safe_play_until and safe_play_until.isoformat(),
                "new": is_new,
            },
        )
        close(request, Claim.State.GRANTED, actor=actor, by=actor, reason=reason)
        url = reverse("events:desk")
        notify([_notice_draft(request, url, lambda: _certified(official))])
    return official


def decline_td(*, request_id: int, reason: str, actor: User) -> Claim:
    """Decline a request without changing the member; the account sees the reason."""
    require_permission(actor, CERTIFY)
    with transaction.atomic():
        request = lock_request(request_id, actor, as_td=True)
        close(request, Claim.State.REFUSED, actor=actor, by=actor, reason=reason)
        url = reverse("events:welcome")
        notify([_notice_draft(request, url, lambda: _declined(request))])
    return request


def _notice_draft(
    request: Claim, url: str, write: Callable[[], tuple[str, str]]
) -> NoticeDraft:
    return NoticeDraft(
        CERTIFICATION, request.account_id, f"td:{request.pk}", url, write
    )


def _certified(official: Official) -> tuple[str, str]:
    title = _("You are certified as a {level}").format(
        level=official.get_level_display()
    )
    text = _(
        "Your certification is valid through {day}. Open My reports to submit a rating "
        "report: upload a file or enter results manually."
    )
    return title, text.format(day=long_day(official.certified_until))


def _declined(request: Claim) -> tuple[str, str]:
    title = _("Your request for TD certification was declined")
    text = _("Reason from the ratings office: {reason}").format(reason=request.reason)
    return title, text


# Expiry


def warn_directors(today: date) -> int:
    """Notify TDs whose certification or training expires; return how many notices.

    The key has the day and the days left, so a TD gets each warning once.
    """
    last = today + timedelta(days=max(WARNING_DAYS))
    ending = Q(certified_until__lte=last) | Q(safe_play_until__range=(today, last))
    officials = Official.objects.filter(
        ending, certified_until__gte=today, pk=td_field("pk", "player__")
    ).select_related("player__merged_into")
    return notify(one for official in officials for one in _warnings(official, today))


def _warnings(official: Official, today: date) -> Iterator[NoticeDraft]:
    ends = {
        "certified": (official.certified_until, _certification_ends),
        "safe-play": (official.safe_play_until, _safe_play_ends),
    }
    for name, (day, write) in ends.items():
        left = (day - today).days if day else -1
        stage = next((days for days in WARNING_DAYS if 0 <= left <= days), None)
        account = official.player.canonical.account_id
        if day and stage and account:
            key = f"td-expiry:{official.pk}:{name}:{day.isoformat()}:{stage}"
            url = reverse("events:director_record", args=[official.player.member_id])
            yield NoticeDraft(EXPIRY, account, key, url, partial(write, day))


def _certification_ends(day: date) -> tuple[str, str]:
    title = _("Your TD certification ends on {day}").format(day=long_day(day))
    text = _(
        "Ask the ratings office to renew it. After that date you can view your reports "
        "but can’t submit new ones."
    )
    return title, text


def _safe_play_ends(day: date) -> tuple[str, str]:
    title = _("Your Safe Play training ends on {day}").format(day=long_day(day))
    text = _(
        "Take the refresher course before that day. If you have taken it, ask the "
        "ratings office to record the new date."
    )
    return title, text
