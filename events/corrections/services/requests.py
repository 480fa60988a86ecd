"""Corrections: asked for, confirmed by the TD, decided by staff, made as a version."""

import hashlib
import json
from collections.abc import Collection
from datetime import timedelta

from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from events.access import is_office, is_td_of, may_ask
from events.books.rater import rater
from events.books.refusals import NotPossible, Outdated
from events.books.services.versions import apply_version
from events.corrections.changes import Change
from events.corrections.services.reviews import review, review_request
from events.models import CorrectionRequest, Section
from events.models.documents import members_concerned
from events.signals import correction_changed
from ratings_site.common.accounts.permissions import NotAllowed, require
from ratings_site.common.audit.services import record
from ratings_site.common.database.locks import hold_ratings_or
from ratings_site.common.models import User

DECIDE = "events.decide_correction"
MAX_REQUESTS_PER_DAY = 20

State = CorrectionRequest.State
Kind = CorrectionRequest.Kind


def ask_for_correction(
    *,
    section: Section,
    kind: str,
    change: Change,
    text: str,
    version: int,
    actor: User,
) -> CorrectionRequest:
    """Put a correction before the TD and the office. *text* says how one knows.

    A TD who asks for a correction of their own event has confirmed it by asking.
    """
    if not may_ask(actor):
        raise NotAllowed(_("Only members, tournament directors and staff can ask."))
    with transaction.atomic():
        if sentence := why_not_correct(section):
            raise NotPossible(sentence)
        _require_below_limit(actor)
        require_version(section, version)
        request = CorrectionRequest(
            section=section, text=text, asked_by=actor, seen_version=version
        )
        _set_change(request, kind, change)
        if is_td_of(actor, section):
            _answered(request, actor, agrees=True, note="")
        _save_open(request)
        record("correction.asked", subject=request, actor=actor, facts=_facts(request))
        _tell(request)
    return request


def why_not_correct(section: Section) -> str:
    """Say why nothing of a section is corrected here; blank if it can be."""
    if section.status != Section.Status.IMPORTED:
        return ""
    return _(
        "This event was taken over from the books of before: it is shown as its report "
        "has it, and nothing rests on it here, so it is not corrected."
    )


def _require_below_limit(actor: User) -> None:
    if is_office(actor):
        return
    since = timezone.now() - timedelta(days=1)
    asked = CorrectionRequest.objects.filter(asked_by=actor, asked_at__gt=since)
    if asked.count() >= MAX_REQUESTS_PER_DAY:
        raise NotPossible(
            _(
                "You have asked for {max_requests_per_day} corrections since "
                "yesterday. "
                "Ask for the others tomorrow, or write to the office."
            ).format(max_requests_per_day=MAX_REQUESTS_PER_DAY)
        )


def require_version(section: Section, version: int) -> None:
    section.refresh_from_db(fields=["version"])
    if section.version != version:
        raise Outdated(
            _(
                "The section was corrected in between (version {version}). "
                "Look at it again before you go on."
            ).format(version=section.version)
        )


def _set_change(request: CorrectionRequest, kind: str, change: Change) -> None:
    """Give the request its change; refuse one that cannot be made."""
    request.kind, request.change, request.difference = kind, change, []
    if kind == Kind.OTHER:
        request.change = {}
    else:
        result = review(request.section, kind, change)
        if not result.is_possible:
            raise NotPossible(" ".join(result.problems))
        _require_slowest(request.section, kind, change)
        request.difference = [line.to_json() for line in result.differences]
    said = request.change or request.text  # requests in words are told apart by them
    text = json.dumps([kind, said], sort_keys=True)
    request.change_digest = hashlib.sha256(text.encode()).hexdigest()


def _require_slowest(section: Section, kind: str, change: Change) -> None:
    """Refuse a control that is faster than one of the section's schedules."""
    if kind != Kind.TIME_CONTROL:
        return
    control = change["time_control"]
    others = list(section.schedules.values_list("time_control", flat=True))
    decides = rater().deciding_control([control, *others]) if others else control
    if decides != control:
        raise NotPossible(
            _(
                "The section has a schedule at {decides}, which is slower and decides. "
                "Describe in words what is to be corrected."
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
            _("This correction has already been asked for and waits for a decision.")
        ) from error


def answer_correction(
    *, request_id: int, agrees: bool, note: str, actor: User
) -> CorrectionRequest:
    """Confirm a correction as the TD of the event, or object to it with a note."""
    with transaction.atomic():
        request = _open_request(request_id)
        if not is_td_of(actor, request.section):
            raise NotAllowed(
                _("Only the tournament directors of the event can answer.")
            )
        if not agrees and not note:
            raise NotPossible(_("Say why the section is right as it stands."))
        _answered(request, actor, agrees=agrees, note=note)
        request.save()
        record(f"correction.{request.state}", subject=request, actor=actor, reason=note)
        _tell(request)
    return request


def _answered(request: CorrectionRequest, td: User, *, agrees: bool, note: str) -> None:
    request.state = State.CONFIRMED if agrees else State.OBJECTED
    request.td_by, request.td_at, request.td_note = td, timezone.now(), note


def withdraw_correction(*, request_id: int, actor: User) -> CorrectionRequest:
    """Take one's own request back."""
    with transaction.atomic():
        request = _open_request(request_id)
        if request.asked_by_id != actor.pk:
            raise NotAllowed(_("Only who asked for a correction can withdraw it."))
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
    """Put a request as another change; the TD has to confirm it again.

    For what was asked in words, or overtaken by another correction.
    """
    require(actor, DECIDE)
    with transaction.atomic():
        request = _open_request(request_id)
        require_version(request.section, version)
        said_before = (request.kind, request.change_digest, request.seen_version)
        _set_change(request, kind, change)
        if said_before == (kind, request.change_digest, version):
            raise NotPossible(_("The request says this already."))
        request.seen_version = version
        request.state = State.ASKED
        request.td_by, request.td_at, request.td_note = None, None, ""
        if is_td_of(actor, request.section):
            _answered(request, actor, agrees=True, note="")
        _save_open(request)
        record(
            "correction.restated",
            subject=request,
            actor=actor,
            reason=reason,
            facts=_facts(request),
        )
        _tell(request)
    return request


def approve_correction(
    *, request_id: int, version: int, public_note: str, reason: str, actor: User
) -> CorrectionRequest:
    """Correct the section as asked, in the version that *actor* looked at.

    *public_note* says why, for everybody. *reason* stays in the office; it is needed
    where the TD has not confirmed. Nothing is rated: the mark waits for a rerate.
    """
    require(actor, DECIDE)
    with transaction.atomic():
        hold_ratings_or(NotPossible)
        request = _open_request(request_id)
        section = Section.objects.select_for_update().get(pk=request.section_id)
        require_version(section, version)
        request.section = section
        if request.state != State.CONFIRMED and not reason:
            raise NotPossible(
                _(
                    "The TD has not confirmed this. Say why the office decides without "
                    "that word."
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
    """Leave the section as it is. The asker and the TD read the reason."""
    require(actor, DECIDE)
    with transaction.atomic():
        request = _open_request(request_id)
        if not reason:
            raise NotPossible(_("Say why the section stays as it is."))
        _decide(request, State.REFUSED, actor, reason)
    return request


def _decide(
    request: CorrectionRequest,
    state: CorrectionRequest.State,
    by: User,
    reason: str,
    players: Collection[int] = (),
) -> None:
    request.state = state
    request.decided_by, request.decided_at = by, timezone.now()
    request.decision_reason = reason
    request.save()
    record(
        f"correction.{state}",
        subject=request,
        actor=by,
        reason=reason,
        facts=_facts(request),
    )
    _tell(request, players)


def _open_request(request_id: int) -> CorrectionRequest:
    request = (
        CorrectionRequest.objects.select_for_update(of=("self",))
        .select_related("section__event")
        .get(pk=request_id)
    )
    if sentence := why_closed(request):
        raise NotPossible(sentence)
    return request


def why_closed(request: CorrectionRequest) -> str:
    """Say that a request is decided already; blank while it is open."""
    if request.is_open:
        return ""
    return _("This request is decided already: {state_in_words}.").format(
        state_in_words=request.state_in_words
    )


def _facts(request: CorrectionRequest) -> dict:
    return {
        "section": str(request.section),
        "kind": request.kind,
        "change": request.change,
        "difference": request.sentences,
    }


def _tell(request: CorrectionRequest, players: Collection[int] = ()) -> None:
    """Let others know how a request stands, and whose games it has corrected."""
    correction_changed.send(
        sender=CorrectionRequest, request=request, concerned=players
    )
