"""Pending items and status lines of ratings on the office's dashboard."""

from collections.abc import Iterator
from datetime import datetime
from functools import partial

from django.db.models import Count, Min
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, ngettext_lazy

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
    register_count,
    register_gauge,
    register_pending,
    register_status,
)
from ratings_site.common.ui.formatting import format_day, format_month

# A FIDE list comes out every month; if the newest is this old, one is missing.
FIDE_LIST_DAYS = 35


register_count(
    FloorRequest.objects.open,
    order=60,
    what=ngettext_lazy("floor request", "floor requests"),
    page="ratings:floor_requests",
    at="#waiting",
    since="asked_at",
)
register_count(
    lambda: ForeignResult.objects.filter(status=ForeignResult.Status.READY),
    order=130,
    what=ngettext_lazy("foreign result to rate", "foreign results to rate"),
    page="ratings:foreign_preview",
)


@register_pending(order=140)
def _foreign_players(now: datetime) -> list[PendingItem]:
    """Count the players to do on each worklist, the oldest first."""
    return [
        PendingItem(
            what=ngettext(
                "player to check for the FIDE list of {month}",
                "players to check for the FIDE list of {month}",
                number,
            ).format(month=format_month(month)),
            url=f"{reverse('ratings:foreign_work')}?list={pk}&state={TO_DO}",
            number=number,
        )
        for pk, month, number in open_worklists()
    ]


@register_status
def _status(now: datetime) -> Iterator[StatusLine]:
    yield _pending_rerates()
    yield _rerate(now)
    yield _fide_list(now)
    yield from _official_lists(now)


@register_gauge("pending_rerates", "Pending rerates.")
def _pending_rerate_count(now: datetime) -> int:
    return RerateMark.objects.pending().count()


@register_gauge("oldest_pending_rerate_seconds", "Age of the oldest pending rerate.")
def _oldest_pending_rerate(now: datetime) -> float:
    oldest = RerateMark.objects.pending().aggregate(at=Min("left_at"))["at"]
    return (now - oldest).total_seconds() if oldest else 0


def _pending_rerates() -> StatusLine:
    marks = RerateMark.objects.pending().order_by()
    found = marks.aggregate(number=Count("pk"), first=Min("from_day"))
    words, level = _("none: all events are rated in order"), "good"
    if found["number"]:
        words = ngettext(
            "{number:,} pending rerate, from {day}",
            "{number:,} pending rerates, from {day}",
            found["number"],
        ).format(number=found["number"], day=format_day(found["first"]))
        level = "note"
    url = reverse("ratings:office_rerates")
    return StatusLine(_("Pending rerates"), words, url, level)


def _rerate(now: datetime) -> StatusLine:
    """Return the status of the open rerate, or else of the last one."""
    rerates = Run.objects.filter(kind=Run.Kind.RERATE)
    run = rerates.select_related("published_by").first()
    line = partial(StatusLine, _("Rerate"), url=reverse("ratings:office_rerates"))
    if run is None:
        return line(_("none yet"))
    state = run.get_status_display().lower()
    if run.is_open:
        done, total = run.progress.get("done", 0), run.progress.get("total", 0)
        words = _("number {pk}, open for {age}: {state}")
        is_running = total and run.status == Run.Status.RUNNING
        return line(
            words.format(pk=run.pk, age=age(run.created_at, now), state=state),
            level="warning" if run.status == Run.Status.READY else "note",
            percent=100 * done // total if is_running else None,
        )
    if run.status == Run.Status.FAILED:
        words = _("number {pk} failed: {message}")
        return line(words.format(pk=run.pk, message=run.message), level="error")
    if run.published_at:
        words = _("none open. Last: number {pk}, {state}, {day}")
        day = format_day(run.published_at)
        return line(words.format(pk=run.pk, state=state, day=day))
    words = _("none open. Last: number {pk}, {state}")
    return line(words.format(pk=run.pk, state=state))


def _fide_list(now: datetime) -> StatusLine:
    line = partial(StatusLine, _("FIDE list"), url=reverse("players_office:fide_lists"))
    found = newest_list()
    if found is None:
        return line(_("none imported yet"), level="warning")
    is_old = (now.date() - found.list_date).days > FIDE_LIST_DAYS
    came = found.finished_at or found.received_at
    words = (
        _("{month}, {rows:,} players, imported {day}. A newer list is due.")
        if is_old
        else _("{month}, {rows:,} players, imported {day}")
    ).format(month=format_month(found.list_date), rows=found.rows, day=format_day(came))
    return line(words, level="warning" if is_old else "good")


def _official_lists(now: datetime) -> Iterator[StatusLine]:
    line = partial(StatusLine, url=reverse("ratings:office_lists"))
    due = next_month_due(now)
    published = latest_list()
    words = _("none published yet")
    if published is not None:
        words = _("{name}, published {day}").format(
            name=published.name, day=format_day(published.published_at)
        )
    yield line(_("Official list"), words)
    if published is None or published.month < due:
        moment = written_moment(cut_off_for(due))
        words = (
            _("{month} is ready to review. Cutoff: {moment}")
            if ListDraft.objects.filter(month=due).exists()
            else _("{month} needs to be prepared. Cutoff: {moment}")
        ).format(month=month_name(due), moment=moment)
        yield line(_("Next list"), words, level="warning")
    else:
        following = months_before(published.month, -1)
        words = _("{month_name}. Cutoff: {written_moment}").format(
            month_name=month_name(following),
            written_moment=written_moment(cut_off_for(following)),
        )
        yield line(_("Next list"), words)
