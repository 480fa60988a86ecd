"""What ratings add to the office's first page: what waits, and how they stand."""

from collections.abc import Iterator
from datetime import datetime

from django.db.models import Count, Min
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext, ngettext, ngettext_lazy

from events.foreign.queries import TO_DO, open_worklists
from events.models import ForeignResult
from players.fide.queries import newest_list
from ratings.lists.months import months_before
from ratings.lists.queries.official import (
    cut_off_for,
    latest_list,
    next_month_due,
    written_moment,
)
from ratings.models import FloorRequest, ListDraft, RerateMark, Run
from ratings.models.official import month_name
from ratings_site.common.desk.queries import (
    HowItStands,
    Waiting,
    age,
    says_how_it_stands,
    says_what_waits,
    waiting_in,
)
from ratings_site.common.looks.figures import day_in_words, month_of_year

# A new FIDE list comes with every month; one this old is missing its successor.
FIDE_LIST_DAYS = 35


@says_what_waits
def _what_waits(now: datetime) -> list[Waiting]:
    return [
        waiting_in(
            FloorRequest.objects.filter(status=FloorRequest.Status.ASKED),
            since="asked_at",
            what=ngettext_lazy("floor request", "floor requests"),
            url=reverse("ratings:floor_requests"),
            now=now,
        ),
        waiting_in(
            ForeignResult.objects.filter(status=ForeignResult.Status.READY),
            what=ngettext_lazy("result abroad to rate", "results abroad to rate"),
            url=reverse("ratings:foreign_events"),
            now=now,
        ),
        _players_abroad(),
    ]


def _players_abroad() -> Waiting:
    """Count who stands on a worklist untouched; the oldest list is worked on first."""
    lists = open_worklists()
    url = reverse("ratings:foreign_work")
    if lists:
        url += f"?{urlencode({'list': lists[0][0], 'state': TO_DO})}"
    number = sum(on_list for _, on_list in lists)
    what = ngettext("player abroad to look at", "players abroad to look at", number)
    return Waiting(what, url, number)


@says_how_it_stands
def _how_it_stands(now: datetime) -> Iterator[HowItStands]:
    yield _open_marks()
    yield _rerate(now)
    yield _fide_list(now)
    yield from _official_lists(now)


def _open_marks() -> HowItStands:
    marks = (
        RerateMark.objects.filter(run=None)
        .order_by()
        .aggregate(number=Count("pk"), first=Min("from_day"))
    )
    url = reverse("ratings:office_rerates")
    if not marks["number"]:
        return HowItStands(
            gettext("Marks"),
            gettext("none is open: history is rated in order"),
            url,
            "good",
        )
    return HowItStands(
        gettext("Marks"),
        ngettext(
            "{number:,} mark is open, from {day} on",
            "{number:,} marks are open, from {day} on",
            marks["number"],
        ).format(number=marks["number"], day=day_in_words(marks["first"])),
        url,
        "note",
    )


def _rerate(now: datetime) -> HowItStands:
    """Return how the open rerate stands, or else the last one."""
    url = reverse("ratings:office_rerates")
    run = (
        Run.objects.filter(kind=Run.Kind.RERATE).select_related("published_by").first()
    )
    if run is None:
        return HowItStands(gettext("Rerate"), gettext("there was none yet"), url)
    state = run.get_status_display().lower()
    if run.is_open:
        done, total = run.progress.get("done", 0), run.progress.get("total", 0)
        return HowItStands(
            gettext("Rerate"),
            gettext("number {pk} is open for {age}: {state}").format(
                pk=run.pk, age=age(run.created_at, now), state=state
            ),
            url,
            "warning" if run.status == Run.Status.READY else "note",
            percent=100 * done // total
            if total and run.status == Run.Status.RUNNING
            else None,
        )
    if run.status == Run.Status.FAILED:
        return HowItStands(
            gettext("Rerate"),
            gettext("number {pk} failed: {message}").format(
                pk=run.pk, message=run.message
            ),
            url,
            "error",
        )
    if run.published_at:
        words = gettext("none is open; number {pk}: {state}, {day}").format(
            pk=run.pk, state=state, day=day_in_words(run.published_at)
        )
    else:
        words = gettext("none is open; number {pk}: {state}").format(
            pk=run.pk, state=state
        )
    return HowItStands(gettext("Rerate"), words, url)


def _fide_list(now: datetime) -> HowItStands:
    url = reverse("players_office:fide_lists")
    found = newest_list()
    if found is None:
        return HowItStands(
            gettext("FIDE list"), gettext("none is imported yet"), url, "warning"
        )
    is_old = (now.date() - found.list_date).days > FIDE_LIST_DAYS
    came = found.finished_at or found.received_at
    words = (
        gettext("{month}, {rows:,} players, imported {day}; a newer one is due")
        if is_old
        else gettext("{month}, {rows:,} players, imported {day}")
    )
    return HowItStands(
        gettext("FIDE list"),
        words.format(
            month=month_of_year(found.list_date),
            rows=found.rows,
            day=day_in_words(came),
        ),
        url,
        "warning" if is_old else "good",
    )


def _official_lists(now: datetime) -> Iterator[HowItStands]:
    url = reverse("ratings:office_lists")
    due = next_month_due(now)
    published = latest_list()
    if published is None:
        yield HowItStands(
            gettext("Official list"), gettext("none is published yet"), url
        )
    else:
        yield HowItStands(
            gettext("Official list"),
            gettext("{name}, published {day}").format(
                name=published.name, day=day_in_words(published.published_at)
            ),
            url,
        )
    if published is None or published.month < due:
        draft = ListDraft.objects.filter(month=due).first()
        words = (
            gettext("{month} is prepared; its books were cut off {moment}")
            if draft
            else gettext("{month} is to be prepared; its books were cut off {moment}")
        )
        yield HowItStands(
            gettext("Next list"),
            words.format(
                month=month_name(due), moment=written_moment(cut_off_for(due))
            ),
            url,
            "warning",
        )
    else:
        following = months_before(published.month, -1)
        yield HowItStands(
            gettext("Next list"),
            gettext("{month_name}; its books are cut off {written_moment}").format(
                month_name=month_name(following),
                written_moment=written_moment(cut_off_for(following)),
            ),
            url,
        )
