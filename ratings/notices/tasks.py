"""What the worker does to tell members of their ratings."""

from collections.abc import Callable, Collection, Iterable

from django.dispatch import receiver
from django.utils.translation import gettext as _

from events.models import Section, Submission
from events.reports.notices import tell_sender
from ratings.models import OfficialList, Run
from ratings.notices.services import (
    has_readers,
    is_all_rated,
    news_of_list,
    news_of_rerate,
    news_of_section,
    news_of_undone,
    readers_of_list,
    readers_of_rerate,
)
from ratings.rerates.services.people import batches
from ratings.rerates.services.publishing import TELL_UNDONE
from ratings.signals import (
    list_published,
    rerate_published,
    section_rated,
)
from ratings_site.common.jobs.services import ClaimedJob, enqueue, handles
from ratings_site.common.notices.services import AT_A_TIME, News, notify

TELL_SECTION = "ratings.tell_of_section"
TELL_RERATE = "ratings.tell_of_rerate"
TELL_LIST = "ratings.tell_of_list"


@receiver(section_rated)
def tell_when_rated(section: Section, **_: object) -> None:
    """Tell the players in a job of its own; the sender of the report, at once."""
    if has_readers(section):
        enqueue(TELL_SECTION, key=str(section.pk), args={"section": section.pk})
    if is_all_rated(section.event):
        report = section.event.submission
        tell_sender(report, lambda: _rated(report), key=f"report:{report.pk}:rated")


def _rated(report: Submission) -> tuple[str, str]:
    title = _("{event} is rated").format(event=report)
    return title, _("Every section of your report has been rated.")


@receiver(rerate_published)
def tell_of_published(run: Run, **_: object) -> None:
    enqueue(TELL_RERATE, key=str(run.pk), args={"run": run.pk})


@receiver(list_published)
def tell_of_list(official_list: OfficialList, **_: object) -> None:
    enqueue(TELL_LIST, key=official_list.slug, args={"list": official_list.pk})


@handles(TELL_SECTION)
def tell_section_job(job: ClaimedJob) -> None:
    section = Section.objects.select_related("event").get(pk=job.args["section"])
    with job.commit():
        notify(news_of_section(section))


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
