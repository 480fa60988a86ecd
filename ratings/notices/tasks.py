"""Jobs that send notices about ratings."""

from collections.abc import Callable, Collection, Iterable, Sequence
from itertools import chain

from django.dispatch import receiver
from django.utils.translation import gettext as _

from events.models import Event, Section, Submission
from events.reports.notices import news_for_sender
from ratings.models import OfficialList, Run
from ratings.notices.services import (
    news_of_list,
    news_of_rerate,
    news_of_section,
    news_of_undone,
    readers_of_list,
    readers_of_rerate,
    sections_with_recipients,
)
from ratings.rerates.services.players import batches
from ratings.signals import (
    list_published,
    rerate_published,
    rerate_undone,
    sections_rated,
)
from ratings_site.common.jobs.services import ClaimedJob, enqueue, handles
from ratings_site.common.notices.services import BATCH_SIZE, NoticeDraft, notify

NOTIFY_SECTIONS = "ratings.tell_of_sections"
NOTIFY_RERATE = "ratings.tell_of_rerate"
NOTIFY_UNDONE = "ratings.tell_of_undone_rerate"
NOTIFY_LIST = "ratings.tell_of_list"


@receiver(sections_rated)
def notify_sections_rated(
    sections: Sequence[Section], events: Collection[Event], **_: object
) -> None:
    """Enqueue the notices to the players, and to the senders of finished reports.

    The ratings are locked until the lines are committed, so notices are written later.
    """
    read = sections_with_recipients(sections)
    if read or events:
        reports = [event.submission_id for event in events]
        args = {"sections": read, "reports": reports}
        enqueue(NOTIFY_SECTIONS, key=str(sections[0].pk), args=args)


def _news_of_report(report: Submission) -> NoticeDraft:
    def write() -> tuple[str, str]:
        title = _("{event} is rated").format(event=report)
        return title, _("All sections of your report are rated.")

    return news_for_sender(report, write, key=f"report:{report.pk}:rated")


@receiver(rerate_published)
def notify_rerate_published(run: Run, **_: object) -> None:
    enqueue(NOTIFY_RERATE, key=str(run.pk), args={"run": run.pk})


@receiver(rerate_undone)
def notify_rerate_undone(run: Run, **_: object) -> None:
    enqueue(NOTIFY_UNDONE, key=str(run.pk), args={"run": run.pk})


@receiver(list_published)
def notify_list_published(official_list: OfficialList, **_: object) -> None:
    enqueue(NOTIFY_LIST, key=official_list.key, args={"list": official_list.pk})


@handles(NOTIFY_SECTIONS)
def notify_sections_job(job: ClaimedJob) -> None:
    sections = Section.objects.filter(pk__in=job.args["sections"])
    reports = Submission.objects.filter(pk__in=job.args["reports"])
    with job.commit():
        notify(
            chain(
                *map(news_of_section, sections.select_related("event")),
                map(_news_of_report, reports),
            )
        )


@handles(NOTIFY_RERATE)
def notify_rerate_job(job: ClaimedJob) -> None:
    """Send the notices about a rerate, unless it has been undone meanwhile."""
    run = Run.objects.get(pk=job.args["run"])
    if run.status == Run.Status.PUBLISHED:
        _notify_in_batches(
            job, readers_of_rerate(run), lambda some: news_of_rerate(run, some)
        )


@handles(NOTIFY_UNDONE)
def notify_undone_job(job: ClaimedJob) -> None:
    run = Run.objects.get(pk=job.args["run"])
    _notify_in_batches(
        job, readers_of_rerate(run), lambda some: news_of_undone(run, some)
    )


@handles(NOTIFY_LIST)
def notify_list_job(job: ClaimedJob) -> None:
    """Send the notices about a list, unless it has been withdrawn meanwhile."""
    published = OfficialList.objects.with_withdrawn().get(pk=job.args["list"])
    is_withdrawn = published.is_withdrawn  # type: ignore[attr-defined]
    readers = [] if is_withdrawn else readers_of_list(published)
    _notify_in_batches(job, readers, lambda some: news_of_list(published, some))


def _notify_in_batches(
    job: ClaimedJob,
    players: Collection[int],
    news: Callable[[Collection[int]], Iterable[NoticeDraft]],
) -> None:
    """Send notices in batches, so that a worker that crashes loses little."""
    done = 0
    for wave, some in enumerate(batches(players, BATCH_SIZE)):
        done += len(some)
        with job.part(done=done, total=len(players)):
            notify(news(some), wave=wave)
