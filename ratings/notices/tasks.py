"""What the worker does to tell members of their ratings."""

from collections.abc import Callable, Collection, Iterable
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
    with_readers,
)
from ratings.rerates.services.people import batches
from ratings.signals import (
    list_published,
    rerate_published,
    rerate_undone,
    sections_rated,
)
from ratings_site.common.jobs.services import ClaimedJob, enqueue, handles
from ratings_site.common.notices.services import AT_A_TIME, News, notify

TELL_SECTIONS = "ratings.tell_of_sections"
TELL_RERATE = "ratings.tell_of_rerate"
TELL_UNDONE = "ratings.tell_of_undone_rerate"
TELL_LIST = "ratings.tell_of_list"


@receiver(sections_rated)
def tell_when_rated(
    sections: Collection[Section], events: Collection[Event], **_: object
) -> None:
    """Leave it to a job to tell the players, and the senders of whole reports.

    The ratings are locked until the lines are committed; writing notices can wait.
    """
    read = with_readers(sections)
    if read or events:
        reports = [event.submission_id for event in events]
        args = {"sections": read, "reports": reports}
        enqueue(TELL_SECTIONS, key=str(sections[0].pk), args=args)


def _news_of_report(report: Submission) -> News:
    def write() -> tuple[str, str]:
        title = _("{event} is rated").format(event=report)
        return title, _("Every section of your report has been rated.")

    return news_for_sender(report, write, key=f"report:{report.pk}:rated")


@receiver(rerate_published)
def tell_of_published(run: Run, **_: object) -> None:
    enqueue(TELL_RERATE, key=str(run.pk), args={"run": run.pk})


@receiver(rerate_undone)
def tell_of_undone(run: Run, **_: object) -> None:
    enqueue(TELL_UNDONE, key=str(run.pk), args={"run": run.pk})


@receiver(list_published)
def tell_of_list(official_list: OfficialList, **_: object) -> None:
    enqueue(TELL_LIST, key=official_list.slug, args={"list": official_list.pk})


@handles(TELL_SECTIONS)
def tell_sections_job(job: ClaimedJob) -> None:
    sections = Section.objects.filter(pk__in=job.args["sections"])
    reports = Submission.objects.filter(pk__in=job.args["reports"])
    with job.commit():
        notify(
            chain(
                *map(news_of_section, sections.select_related("event")),
                map(_news_of_report, reports),
            )
        )


@handles(TELL_RERATE)
def tell_rerate_job(job: ClaimedJob) -> None:
    """Tell of a rerate, unless it has been undone meanwhile."""
    run = Run.objects.get(pk=job.args["run"])
    if run.status == Run.Status.PUBLISHED:
        _tell(job, readers_of_rerate(run), lambda some: news_of_rerate(run, some))


@handles(TELL_UNDONE)
def tell_undone_job(job: ClaimedJob) -> None:
    run = Run.objects.get(pk=job.args["run"])
    _tell(job, readers_of_rerate(run), lambda some: news_of_undone(run, some))


@handles(TELL_LIST)
def tell_list_job(job: ClaimedJob) -> None:
    published = OfficialList.objects.get(pk=job.args["list"])
    readers = readers_of_list(published)
    _tell(job, readers, lambda some: news_of_list(published, some))


def _tell(
    job: ClaimedJob,
    players: Collection[int],
    news: Callable[[Collection[int]], Iterable[News]],
) -> None:
    """Tell very many, some at a time, so that a worker that dies loses little."""
    done = 0
    for wave, some in enumerate(batches(players, AT_A_TIME)):
        done += len(some)
        with job.part(done=done, total=len(players)):
            notify(news(some), wave=wave)
