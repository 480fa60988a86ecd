"""Services for registered events: register, change, cancel, link to a report."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from datetime import date, timedelta
from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from events.access import is_office, official_of
from events.models import Affiliate, EventRegistration, RegisteredSection, Submission
from players.models import Player
from ratings_site.common.approvals.kinds import Refusal, changed_meanwhile
from ratings_site.common.audit.services import record
from ratings_site.common.models import User
from ratings_site.common.ui.formatting import format_day

MAX_DAYS_AHEAD = timedelta(days=3 * 366)
LONGEST = timedelta(days=366)
MAX_REGISTRATIONS_PER_DAY = 100


class RegistrationRefused(Refusal):
    """The event cannot be registered or changed; the message says why."""


@dataclass(frozen=True, slots=True)
class PlannedSection:
    """A planned section."""

    name: str
    time_control: str = ""


@dataclass(frozen=True, slots=True)
class Plan:
    """The facts of a planned event."""

    name: str
    starts: date
    ends: date
    affiliate: Affiliate
    chief: Player
    city: str = ""
    state: str = ""
    is_online: bool = False
    website: str = ""
    sections: Sequence[PlannedSection] = ()


# Fields that are copied from the plan unchanged.
_COLUMNS = [field.name for field in fields(Plan) if field.name != "sections"]


def can_change_registration(
    actor: User | AnonymousUser, registered: EventRegistration
) -> bool:
    """Return whether *actor* registered the event, is its chief TD, or staff."""
    if not actor.is_authenticated:
        return False
    own = actor.pk in (
        registered.registered_by_id,
        registered.chief.canonical.account_id,
    )
    return own or is_office(actor)


def register_event(*, actor: User, plan: Plan) -> EventRegistration:
    """Add an event to the calendar before it is played."""
    _require_plan(plan, actor)
    _require_not_started(plan, actor)
    with transaction.atomic():
        _require_below_limit(actor)
        registered = EventRegistration(registered_by=actor)
        _write(registered, plan)
        record("registration.made", subject=registered, actor=actor)
    return registered


def change_registration(
    *,
    registration_id: int,
    actor: User,
    plan: Plan,
    reason: str,
    changes: int | None = None,
) -> EventRegistration:
    """Change a planned event if anything differs. The *reason* is public.

    *changes* is the number of changes that *actor* saw.
    """
    with transaction.atomic():
        registered = _lock(registration_id)
        _require_open(registered)
        before = _facts(registered)
        _require_plan(plan, actor)
        after = _facts_of(plan)
        changed = {name: after[name] for name in after if after[name] != before[name]}
        if not changed:
            return registered
        if changes not in (None, registered.changes):
            raise RegistrationRefused(changed_meanwhile())
        if plan.starts < registered.starts:
            _require_not_started(plan, actor)
        _note(registered, reason)
        _write(registered, plan)
        record(
            "registration.changed",
            subject=registered,
            actor=actor,
            reason=reason,
            facts=changed,
        )
    return registered


def cancel_registration(
    *, registration_id: int, actor: User, reason: str
) -> EventRegistration:
    """Cancel an event. It stays in the calendar, with the reason."""
    with transaction.atomic():
        registered = _lock(registration_id)
        if registered.is_canceled:
            return registered
        _require_open(registered)
        registered.status = EventRegistration.State.CANCELED
        _note(registered, reason)
        registered.save()
        record("registration.canceled", subject=registered, actor=actor, reason=reason)
    return registered


def link_report(
    *, submission: Submission, registration_id: int, actor: User
) -> EventRegistration:
    """Link a report to a registered event."""
    with transaction.atomic():
        # A concurrent link of the same report to another event waits here.
        Submission.objects.select_for_update().get(pk=submission.pk)
        registered = _lock(registration_id)
        if registered.submission_id == submission.pk:
            return registered
        _require_open(registered)
        _require_same_affiliate(registered, submission)
        _require_same_days(registered, submission)
        _unlink_others(submission)
        registered.submission = submission
        registered.save()
        record(
            "registration.report_tied",
            subject=registered,
            actor=actor,
            facts={"report": submission.pk},
        )
    return registered


def unlink_report(*, submission: Submission, actor: User) -> None:
    """Remove the link between a report and its registered event."""
    with transaction.atomic():
        for registered in EventRegistration.objects.select_for_update().filter(
            submission=submission
        ):
            registered.submission = None
            registered.save()
            record(
                "registration.report_untied",
                subject=registered,
                actor=actor,
                facts={"report": submission.pk},
            )


def _unlink_others(submission: Submission) -> None:
    """Unlink the report from any other event, which then awaits a report again."""
    EventRegistration.objects.filter(submission=submission).update(submission=None)


def _lock(registration_id: int) -> EventRegistration:
    return (
        EventRegistration.objects.select_for_update(of=("self",))
        .select_related("affiliate", "chief", "submission")
        .get(pk=registration_id)
    )


def _require_open(registered: EventRegistration) -> None:
    if registered.is_canceled:
        raise RegistrationRefused(
            _("This event is canceled. Register it again if it will be played.")
        )
    tied = registered.submission
    if tied is not None and tied.state != Submission.State.WITHDRAWN:
        raise RegistrationRefused(
            _("This event already has a report, so it can’t be changed.")
        )


def _require_same_affiliate(
    registered: EventRegistration, submission: Submission
) -> None:
    if submission.affiliate_id != registered.affiliate_id:
        raise RegistrationRefused(
            _(
                "“{event}” is registered by {affiliate}, but the report has a "
                "different affiliate."
            ).format(event=registered.name, affiliate=registered.affiliate.name)
        )


def _require_same_days(registered: EventRegistration, submission: Submission) -> None:
    if not registered.is_planned_for(submission.days):
        raise RegistrationRefused(
            _(
                "“{event}” is registered for different dates than the report. "
                "Correct the report’s dates or edit the registered event."
            ).format(event=registered.name)
        )


def _require_not_started(plan: Plan, actor: User) -> None:
    if plan.starts < timezone.localdate() and not is_office(actor):
        raise RegistrationRefused(
            _("This event has already started. When it is over, upload its report.")
        )


def _require_plan(plan: Plan, actor: User) -> None:
    if plan.ends < plan.starts:
        raise RegistrationRefused(_("The last day is before the first day."))
    if plan.ends - plan.starts > LONGEST:
        raise RegistrationRefused(
            _("An event can’t be longer than a year. Register several events.")
        )
    if plan.starts > timezone.localdate() + MAX_DAYS_AHEAD:
        raise RegistrationRefused(
            _("You can register an event up to three years ahead.")
        )
    if not is_office(actor):
        _require_authorized(plan.affiliate, actor)


def _require_authorized(affiliate: Affiliate, actor: User) -> None:
    """Require a listed TD where the affiliate keeps a list of its TDs."""
    authorized = set(affiliate.official_set.values_list("pk", flat=True))
    official = official_of(actor)
    keeps_list = authorized or affiliate.is_exclusive
    if keeps_list and (official is None or official.pk not in authorized):
        raise RegistrationRefused(
            _(
                "{affiliate} has not authorized you to register events. Ask it to "
                "contact the office, or have one of its listed TDs register the event."
            ).format(affiliate=affiliate.name)
        )


def _require_below_limit(actor: User) -> None:
    since = timezone.now() - timedelta(days=1)
    made = EventRegistration.objects.filter(
        registered_by=actor, registered_at__gt=since
    )
    if made.count() >= MAX_REGISTRATIONS_PER_DAY:
        raise RegistrationRefused(
            _(
                "You have registered {number} events within a day. "
                "Register the rest tomorrow, or contact the office."
            ).format(number=MAX_REGISTRATIONS_PER_DAY)
        )


def _note(registered: EventRegistration, reason: str) -> None:
    if not reason.strip():
        raise RegistrationRefused(
            _("Enter a reason. It is shown in the public calendar.")
        )
    registered.notice = reason.strip()
    registered.changes += 1


def _write(registered: EventRegistration, plan: Plan) -> None:
    for name in _COLUMNS:
        setattr(registered, name, getattr(plan, name))
    registered.save()
    registered.sections.all().delete()
    RegisteredSection.objects.bulk_create(
        RegisteredSection(registration=registered, number=number, **asdict(section))
        for number, section in enumerate(plan.sections, start=1)
    )


def _facts(registered: EventRegistration) -> dict[str, Any]:
    sections = [
        PlannedSection(section.name, section.time_control)
        for section in registered.sections.all()
    ]
    columns = {name: getattr(registered, name) for name in _COLUMNS}
    return _facts_of(Plan(**columns, sections=sections))


def _facts_of(plan: Plan) -> dict[str, Any]:
    """Return a plan in words for the audit log."""
    facts = {name: str(getattr(plan, name)) for name in _COLUMNS}
    facts |= {"starts": format_day(plan.starts), "ends": format_day(plan.ends)}
    facts["sections"] = "; ".join(
        f"{section.name} {section.time_control}".strip() for section in plan.sections
    )
    return facts
