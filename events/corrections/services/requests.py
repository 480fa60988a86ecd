"""Services for correction requests: make, confirm, decide, apply as a version."""

import hashlib
import json
from collections.abc import Collection
from datetime import timedelta
from typing import Any

from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from events.access import can_request_corrections, is_office, is_td_of
from events.corrections.changes import Change
from events.corrections.services.reviews import review, review_request
from events.models import CorrectionRequest, Section
from events.models.documents import members_concerned
from events.records.exceptions import NotPossible, VersionConflict
from events.records.section_rater import section_rater
from events.records.services.versions import apply_version
from events.signals import correction_changed
from ratings_site.common.accounts.permissions import NotAllowed, require_permission
from ratings_site.common.audit.services import record
from ratings_site.common.db.locks import lock_ratings_or_refuse
from ratings_site.common.models import User

DECIDE = "events.decide_correction"
MAX_REQUESTS_PER_DAY = 20

State = CorrectionRequest.State
Kind = CorrectionRequest.Kind


def ask_for_correction(
    *, section: Section, kind: str, change: Change, text: str, version: int, actor: User
) -> CorrectionRequest:
    """Request a correction from the TD and the office. *text* is the source.

    A request by the event's own TD is confirmed at once.
    """
    if not can_request_corrections(actor):
        raise NotAllowed(
            _("Only members, tournament directors, and staff can request corrections.")
        )
    with transaction.atomic():
        if sentence := correction_denial_reason(section):
            raise NotPossible(sentence)
        _require_below_limit(actor)
        require_version(section, version)
        request = CorrectionRequest(
            section=section, text=text, asked_by=actor, seen_version=version
        )
        _set_change(request, kind, change)
        if is_td_of(actor, section):
            _record_answer(request, actor, agrees=True, note="")
        _save_open(request)
        record("correction.asked", subject=request, actor=actor, facts=_facts(request))
        _notify(request)
    return request


def correction_denial_reason(section: Section) -> str:
    """Return why a section cannot be corrected here, or ""."""
    if section.status != Section.Status.IMPORTED:
        return ""
    return _(
        "This event was imported from older records and isn’t rated here, so it can’t "
        "be corrected. It’s shown exactly as reported."
    )


def _require_below_limit(actor: User) -> None:
    if is_office(actor):
        return
    since = timezone.now() - timedelta(days=1)
    asked = CorrectionRequest.objects.filter(asked_by=actor, asked_at__gt=since)
    if asked.count() >= MAX_REQUESTS_PER_DAY:
        raise NotPossible(
            _(
                "You’ve reached the limit of {max_requests_per_day} correction "
                "requests a day. Send the rest tomorrow, or contact the office."
            ).format(max_requests_per_day=MAX_REQUESTS_PER_DAY)
        )


def require_version(section: Section, version: int) -> None:
    section.refresh_from_db(fields=["version"])
    if section.version != version:
        raise VersionConflict(
            _(
                "The section was corrected while you worked (now version {version}). "
                "Check it again before you continue."
            ).format(version=section.version)
        )


def _set_change(request: CorrectionRequest, kind: str, change: Change) -> None:
    """Set the request's change; raise an error if it cannot be made."""
    request.kind, request.change, request.difference = kind, change, []
    if kind == Kind.OTHER:
        request.change = {}
    else:
        result = review(request.section, kind, change)
        if not result.is_possible:
            raise NotPossible(" ".join(result.problems))
        _require_slowest(request.section, kind, change)
        request.difference = [line.to_json() for line in result.differences]
    said = request.change or request.text  # part of the identity of requests in words
    text = json.dumps([kind, said], sort_keys=True)
    request.change_digest = hashlib.sha256(text.encode()).hexdigest()


def _require_slowest(section: Section, kind: str, change: Change) -> None:
    """Require a time control no faster than the section's schedules."""
    if kind != Kind.TIME_CONTROL:
        return
    control = change["time_control"]
    others = list(section.schedules.values_list("time_control", flat=True))
    decides = (
        section_rater().deciding_control([control, *others]) if others else control
    )
    if decides != control:
        raise NotPossible(
            _(
                "This section also has a schedule at {decides}. That slower time "
                "control sets the rating system. Choose “Something else” and describe "
                "the correction."
            ).format(decides=decides)
        )


def _save_open(request: CorrectionRequest) -> None:
    try:
        with transaction.atomic():
            request.save()
    except IntegrityError as error:
        if "one_open_request_per_change" not in str(error) and (
            "change_digest" not in str(error)
        ):
            raise
        raise NotPossible(
            _(
                "This correction has already been requested and is waiting for a "
                "decision."
            )
        ) from error


def answer_correction(
    *, request_id: int, agrees: bool, note: str, actor: User
) -> CorrectionRequest:
    """Confirm a correction as the event's TD, or object with a note."""
    with transaction.atomic():
        request = _open_request(request_id)
        if not is_td_of(actor, request.section):
            raise NotAllowed(
                _("Only the tournament directors of the event can answer.")
            )
        if not agrees and not note:
            raise NotPossible(_("Explain why the section is correct as reported."))
        _record_answer(request, actor, agrees=agrees, note=note)
        request.save()
        record(f"correction.{request.state}", subject=request, actor=actor, reason=note)
        _notify(request)
    return request


def _record_answer(
    request: CorrectionRequest, td: User, *, agrees: bool, note: str
) -> None:
    request.state = State.CONFIRMED if agrees else State.OBJECTED
    request.td_by, request.td_at, request.td_note = td, timezone.now(), note


def withdraw_correction(*, request_id: int, actor: User) -> CorrectionRequest:
    """Withdraw one's own request."""
    with transaction.atomic():
        request = _open_request(request_id)
        if request.asked_by_id != actor.pk:
            raise NotAllowed(
                _("Only the person who requested a correction can withdraw it.")
            )
        _decide(request, State.WITHDRAWN, actor, "")
    return request


def restate_correction(
    *,
    request_id: int,
    kind: str,
    change: Change,
    version: int,
    reason: str,
    actor: User,
) -> CorrectionRequest:
    """Restate a request as another change, which the TD must confirm again.

    For requests in words, or for those outdated by another correction.
    """
    require_permission(actor, DECIDE)
    with transaction.atomic():
        request = _open_request(request_id)
        require_version(request.section, version)
        said_before = (request.kind, request.change_digest, request.seen_version)
        _set_change(request, kind, change)
        if said_before == (kind, request.change_digest, version):
            raise NotPossible(
                _("The request already says this. Change something first.")
            )
        request.seen_version = version
        request.state = State.ASKED
        request.td_by, request.td_at, request.td_note = None, None, ""
        if is_td_of(actor, request.section):
            _record_answer(request, actor, agrees=True, note="")
        _save_open(request)
        record(
            "correction.restated",
            subject=request,
            actor=actor,
            reason=reason,
            facts=_facts(request),
        )
        _notify(request)
    return request


def approve_correction(
    *, request_id: int, version: int, public_note: str, reason: str, actor: User
) -> CorrectionRequest:
    """Correct the section as requested, in the version that *actor* saw.

    *public_note* is the public reason. *reason* is internal and required if the TD has
    not confirmed. Ratings change with the next rerate.
    """
    require_permission(actor, DECIDE)
    with transaction.atomic():
        lock_ratings_or_refuse(NotPossible)
        request = _open_request(request_id)
        section = Section.objects.select_for_update().get(pk=request.section_id)
        require_version(section, version)
        request.section = section
        if request.state != State.CONFIRMED and not reason:
            raise NotPossible(
                _(
                    "The TD hasn’t confirmed this request. Enter why the office is "
                    "deciding anyway."
                )
            )
        result = review_request(request)
        if not result.is_possible:
            raise NotPossible(" ".join(result.problems))
        request.version = apply_version(
            section=section, document=result.after, reason=public_note, actor=actor
        )
        request.difference = [line.to_json() for line in result.differences]
        players = members_concerned(result.before, result.after)
        _decide(request, State.APPROVED, actor, reason or public_note, players)
    return request


def refuse_correction(
    *, request_id: int, reason: str, actor: User
) -> CorrectionRequest:
    """Refuse a correction. The requester and the TD see the reason."""
    require_permission(actor, DECIDE)
    with transaction.atomic():
        request = _open_request(request_id)
        if not reason:
            raise NotPossible(_("Enter why you’re declining the request."))
        _decide(request, State.REFUSED, actor, reason)
    return request


def _decide(
    request: CorrectionRequest,
    state: str,
    by: User,
    reason: str,
    players: Collection[int] = (),
) -> None:
    request.decide(state, by=by, reason=reason)
    request.save()
    record(
        f"correction.{state}",
        subject=request,
        actor=by,
        reason=reason,
        facts=_facts(request),
    )
    _notify(request, players)


def _open_request(request_id: int) -> CorrectionRequest:
    request = (
        CorrectionRequest.objects.select_for_update(of=("self",))
        .select_related("section__event")
        .get(pk=request_id)
    )
    if sentence := closed_message(request):
        raise NotPossible(sentence)
    return request


def closed_message(request: CorrectionRequest) -> str:
    """Return the message that a request was decided, or "" while it is open."""
    if request.is_open:
        return ""
    return _("This request has already been decided: {state_in_words}.").format(
        state_in_words=request.state_in_words
    )


def _facts(request: CorrectionRequest) -> dict[str, Any]:
    return {
        "section": str(request.section),
        "kind": request.kind,
        "change": request.change,
        "difference": request.sentences,
    }


def _notify(request: CorrectionRequest, players: Collection[int] = ()) -> None:
    """Send the signal that a request changed, with the members it has corrected."""
    correction_changed.send(
        sender=CorrectionRequest, request=request, concerned=players
    )
