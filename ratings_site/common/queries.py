"""What the office's pages read of acts, audit and jobs."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.contrib.auth.models import Group, Permission
from django.db.models import Count, Exists, Max, Min, OuterRef, Q, QuerySet
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from ratings_site.common.acts import needs_second_person
from ratings_site.common.desk import (
    Standing,
    Waiting,
    age,
    says_how_it_stands,
    says_what_waits,
    waiting_in,
)
from ratings_site.common.models import Job, PendingAct, User
from ratings_site.common.permissions import acts
from ratings_site.common.webhooks import webhooks_in_trouble

LATEST_JOBS = 200
# Work that waits longer than this means that no worker is alive.
WORKERS_PATIENCE = timedelta(minutes=5)


def waiting_acts() -> QuerySet[PendingAct]:
    """Return the acts that wait for a second person, the oldest first."""
    return (
        PendingAct.objects.filter(status=PendingAct.Status.WAITING)
        .select_related("proposed_by")
        .order_by("pk")
    )


def decided_acts() -> QuerySet[PendingAct]:
    """Return the decided acts, the latest decision first."""
    return (
        PendingAct.objects.exclude(status=PendingAct.Status.WAITING)
        .select_related("proposed_by", "decided_by")
        .order_by("-decided_at", "-pk")
    )


def latest_jobs(*, state: str = "") -> QuerySet[Job]:
    """Return the newest jobs, each with whether it was queued again since."""
    jobs = Job.objects.annotate(was_retried=Exists(_later_jobs())).defer("args")
    return (jobs.filter(state=state) if state else jobs).order_by("-pk")


def unmended_jobs(kind: str = "") -> QuerySet[Job]:
    """Return failed jobs that have not been tried again, the newest first."""
    jobs = Job.objects.filter(~Exists(_later_jobs()), state=Job.State.FAILED)
    return (jobs.filter(kind=kind) if kind else jobs).order_by("-pk")


def _later_jobs() -> QuerySet[Job]:
    return Job.objects.filter(
        kind=OuterRef("kind"), key=OuterRef("key"), pk__gt=OuterRef("pk")
    )


@dataclass(frozen=True, slots=True)
class JobCounts:
    """How much work waits, runs, and failed without being tried again."""

    queued: int
    running: int
    oldest_queued: datetime | None
    last_done: datetime | None
    failed: int
    oldest_failed: datetime | None


def job_counts() -> JobCounts:
    """Count the jobs, in three queries that each have an index.

    A job that is for later has not waited yet.
    """
    due = Q(state=Job.State.QUEUED, run_after__lte=timezone.now())
    opened = Job.objects.filter(state__in=Job.OPEN_STATES).aggregate(
        queued=Count("pk", filter=Q(state=Job.State.QUEUED)),
        running=Count("pk", filter=Q(state=Job.State.RUNNING)),
        oldest_queued=Min("created_at", filter=due),
    )
    failed = unmended_jobs().aggregate(
        failed=Count("pk"), oldest_failed=Min("finished_at")
    )
    done = Job.objects.filter(state=Job.State.DONE).aggregate(
        last_done=Max("finished_at")
    )
    return JobCounts(**opened, **failed, **done)


# The office's first page


@says_what_waits
def _acts_that_wait(now: datetime) -> list[Waiting]:
    return [
        waiting_in(
            PendingAct.objects.filter(status=PendingAct.Status.WAITING),
            since="proposed_at",
            what=_("acts for a second person"),
            url=reverse("office:approvals"),
            now=now,
        )
    ]


@says_how_it_stands
def _how_jobs_stand(now: datetime) -> list[Standing]:
    counts = job_counts()
    if counts.failed:
        text, level = (
            ngettext(
                "{failed:,} job failed and nobody tried again",
                "{failed:,} jobs failed and nobody tried again",
                counts.failed,
            ).format(failed=counts.failed),
            "error",
        )
    elif counts.oldest_queued and now - counts.oldest_queued > WORKERS_PATIENCE:
        text = _("the oldest job has waited {age}").format(
            age=age(counts.oldest_queued, now)
        )
        level = "warning"
    else:
        text, level = _("no job failed"), "good"
    details = [
        _("{running:,} running").format(running=counts.running),
        _("{waiting:,} waiting").format(waiting=counts.queued),
    ]
    if counts.last_done:
        details.append(_last_done(counts.last_done, now))
    return [
        Standing(
            _("Jobs"), f"{text}; {', '.join(details)}", reverse("office:jobs"), level
        )
    ]


def _last_done(moment: datetime, now: datetime) -> str:
    if now - moment < timedelta(minutes=1):
        return _("last done just now")
    return _("last done {age} ago").format(age=age(moment, now))


@says_how_it_stands
def _how_webhooks_stand(now: datetime) -> list[Standing]:
    """Speak of webhooks only while some of them are in trouble."""
    failing, off = webhooks_in_trouble()
    if not failing + off:
        return []
    text = _("{failing} failing at present, {off} switched off for failing").format(
        failing=failing, off=off
    )
    return [Standing(_("Webhooks"), text, level="note")]


# Who may do what


@dataclass(frozen=True, slots=True)
class ActLine:
    """One act: which groups may do it, and who may besides."""

    permission: str
    name: str
    needs_two: bool
    groups: tuple[bool, ...]
    people: tuple[User, ...]


@dataclass(frozen=True, slots=True)
class PersonLine:
    """One account that may do more than read public pages."""

    user: User
    groups: tuple[str, ...]
    own: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class WhoMayDoWhat:
    groups: tuple[Group, ...]
    acts: tuple[ActLine, ...]
    people: tuple[PersonLine, ...]


def who_may_do_what() -> WhoMayDoWhat:
    """Return the acts, the groups and the people, in five queries."""
    names = acts()
    groups = list(
        Group.objects.prefetch_related("permissions__content_type").order_by("name")
    )
    given = [_names_of(group.permissions.all()) for group in groups]
    people = list(
        User.objects.filter(is_active=True)
        .filter(
            Q(is_staff=True)
            | Q(groups__isnull=False)
            | Q(user_permissions__isnull=False)
        )
        .distinct()
        .prefetch_related("groups", "user_permissions__content_type")
        .order_by("username")
    )
    own = {person.pk: _names_of(person.user_permissions.all()) for person in people}
    needs_two = needs_second_person()
    lines = tuple(
        ActLine(
            permission=permission,
            name=name.removeprefix("Can "),
            needs_two=permission in needs_two,
            groups=tuple(permission in names_given for names_given in given),
            people=tuple(one for one in people if permission in own[one.pk]),
        )
        for permission, name in sorted(names.items())
    )
    return WhoMayDoWhat(
        groups=tuple(groups),
        acts=lines,
        people=tuple(
            PersonLine(
                user=one,
                groups=tuple(sorted(group.name for group in one.groups.all())),
                own=tuple(sorted(_in_words(one.user_permissions.all(), names))),
            )
            for one in people
        ),
    )


def _names_of(permissions: Iterable[Permission]) -> set[str]:
    return {_name_of(permission) for permission in permissions}


def _name_of(permission: Permission) -> str:
    return f"{permission.content_type.app_label}.{permission.codename}"


def _in_words(
    permissions: Iterable[Permission], acts_named: Mapping[str, str]
) -> set[str]:
    return {acts_named.get(_name_of(one), one.name) for one in permissions}
