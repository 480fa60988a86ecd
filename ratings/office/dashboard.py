"""Pending items and status lines of ratings on the office's dashboard."""

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
from ratings_site.common.dashboard.queries import (
    PendingItem,
    StatusLine,
    age,
    count_pending,
    register_pending,
    register_status,
)
from ratings_site.common.ui.formatting import format_day, format_month

# A FIDE list comes out every month; if the newest is this old, one is missing.
FIDE_LIST_DAYS = 35


@register_pending
def _pending(now: datetime) -> list[PendingItem]:
    return [
        count_pending(
            FloorRequest.objects.open(),
            since="asked_at",
            what=ngettext_lazy("floor request", "floor requests"),
            url=reverse("ratings:floor_requests"),
            now=now,
        ),
        count_pending(
            ForeignResult.objects.filter(status=ForeignResult.Status.READY),
            what=ngettext_lazy("foreign result to rate", "foreign results to rate"),
            url=reverse("ratings:foreign_events"),
            now=now,
        ),
        _foreign_players(),
    ]


def _foreign_players() -> PendingItem:
    """Count the players to do on worklists, and link to the oldest one."""
    lists = open_worklists()
    url = reverse("ratings:foreign_work")
    if lists:
        url += f"?{urlencode({'list': str(lists[0][0]), 'state': TO_DO})}"
    number = sum(on_list for _, on_list in lists)
    what = ngettext(
        "player with foreign games to check",
        "players with foreign games to check",
        number,
    )
    return PendingItem(what, url, number)


@register_status
def _status(now: datetime) -> Iterator[StatusLine]:
    yield _pending_rerates()
    yield _rerate(now)
    yield _fide_list(now)
    yield from _official_lists(now)


def _pending_rerates() -> StatusLine:
    marks = (
        RerateMark.objects.filter(run=None)
        .order_by()
        .aggregate(number=Count("pk"), first=Min("from_day"))
    )
    url = reverse("ratings:office_rerates")
    if not marks["number"]:
        return StatusLine(
            gettext("Pending rerates"),
            gettext("none: all events are rated in order"),
            url,
            "good",
        )
    return StatusLine(
        gettext("Pending rerates"),
        ngettext(
            "{number:,} pending rerate, from {day}",
            "{number:,} pending rerates, from {day}",
            marks["number"],
        ).format(number=marks["number"], day=format_day(marks["first"])),
        url,
        "note",
    )


def _rerate(now: datetime) -> StatusLine:
    """Return the status of the open rerate, or else of the last one."""
    url = reverse("ratings:office_rerates")
    run = (
        Run.objects.filter(kind=Run.Kind.RERATE).select_related("published_by").first()
    )
    if run is None:
        return StatusLine(gettext("Rerate"), gettext("none yet"), url)
    state = run.get_status_display().lower()
    if run.is_open:
        done, total = run.progress.get("done", 0), run.progress.get("total", 0)
        return StatusLine(
            gettext("Rerate"),
            gettext("number {pk}, open for {age}: {state}").format(
                pk=run.pk, age=age(run.created_at, now), state=state
            ),
            url,
            "warning" if run.status == Run.Status.READY else "note",
            percent=100 * done // total
            if total and run.status == Run.Status.RUNNING
            else None,
        )
    if run.status == Run.Status.FAILED:
        return StatusLine(
            gettext("Rerate"),
            gettext("number {pk} failed: {message}").format(
                pk=run.pk, message=run.message
            ),
            url,
            "error",
        )
    if run.published_at:
        words = gettext("none open. Last: number {pk}, {state}, {day}").format(
            pk=run.pk, state=state, day=format_day(run.published_at)
        )
    else:
        words = gettext("none open. Last: number {pk}, {state}").format(
            pk=run.pk, state=state
        )
    return StatusLine(gettext("Rerate"), words, url)


def _fide_list(now: datetime) -> StatusLine:
    url = reverse("players_office:fide_lists")
    found = newest_list()
    if found is None:
        return StatusLine(
            gettext("FIDE list"), gettext("none imported yet"), url, "warning"
        )
    is_old = (now.date() - found.list_date).days > FIDE_LIST_DAYS
    came = found.finished_at or found.received_at
    words = (
        gettext("{month}, {rows:,} players, imported {day}. A newer list is due.")
        if is_old
        else gettext("{month}, {rows:,} players, imported {day}")
    )
    return StatusLine(
        gettext("FIDE list"),
        words.format(
            month=format_month(found.list_date),
            rows=found.rows,
            day=format_day(came),
        ),
        url,
        "warning" if is_old else "good",
    )


def _official_lists(now: datetime) -> Iterator[StatusLine]:
    url = reverse("ratings:office_lists")
    due = next_month_due(now)
    published = latest_list()
    if published is None:
        yield StatusLine(gettext("Official list"), gettext("none published yet"), url)
    else:
        yield StatusLine(
            gettext("Official list"),
            gettext("{name}, published {day}").format(
                name=published.name, day=format_day(published.published_at)
            ),
            url,
        )
    if published is None or published.month < due:
        draft = ListDraft.objects.filter(month=due).first()
        words = (
            gettext("{month} is ready to review. Cutoff: {moment}")
            if draft
            else gettext("{month} needs to be prepared. Cutoff: {moment}")
        )
        yield StatusLine(
            gettext("Next list"),
            words.format(
                month=month_name(due), moment=written_moment(cut_off_for(due))
            ),
            url,
            "warning",
        )
    else:
        following = months_before(published.month, -1)
        yield StatusLine(
            gettext("Next list"),
            gettext("{month_name}. Cutoff: {written_moment}").format(
                month_name=month_name(following),
                written_moment=written_moment(cut_off_for(following)),
            ),
            url,
        )
