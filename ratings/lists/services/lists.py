"""The official lists: prepared as a draft, looked at, and published for good."""

import gzip
import hashlib
from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor
from datetime import date, datetime
from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext

from ratings.lists.files import dbf_file, tsv_file
from ratings.lists.queries.official import cut_off_for, written_moment
from ratings.lists.services.rows import (
    Computed,
    PlacedStanding,
    StandingAtCutOff,
    compute,
    in_order,
)
from ratings.lists.services.summaries import blocking_checks, summary_of
from ratings.models import (
    Calculation,
    ListDraft,
    OfficialList,
    OfficialListFile,
    OfficialRating,
)
from ratings.models.official import month_name
from ratings.signals import list_published
from ratings_site.common.accounts.permissions import require
from ratings_site.common.acts.kinds import Refusal
from ratings_site.common.audit.services import record
from ratings_site.common.database.bulk import (
    check_keys,
    copy_rows,
    insert_with_bytes,
    uncollected,
)
from ratings_site.common.database.locks import hold_ratings
from ratings_site.common.models import User

MAY_PUBLISH = "ratings.publish_list"
# A third of the time of the best, for a tenth more bytes.
COMPRESSION = 4


class ListRefused(Refusal):
    """This list cannot be prepared or published; the message says why."""


@uncollected()
def prepare_list(
    *, month: date, actor: User | None, cut_off: datetime | None = None
) -> ListDraft:
    """Compute what the list of *month* would be, for people to look at.

    Before the cut-off it says what the list would be if nothing more were rated.
    Without *cut_off* it is that of the calendar; of an office that moved in after it,
    and has published no list yet, the present moment.
    """
    refuse_month(month)
    prepared_at = timezone.now()
    cut_off = cut_off or _cut_off(month, prepared_at)
    computed = compute(month=month, moment=min(cut_off, prepared_at))
    with transaction.atomic():
        draft, _ = ListDraft.objects.update_or_create(
            month=month,
            defaults={
                "cut_off": cut_off,
                "digest": computed.digest,
                "summary": summary_of(month, cut_off, computed),
                "prepared_at": prepared_at,
                "prepared_by": actor,
            },
        )
        record("list.prepared", subject=draft, actor=actor)
    return draft


@uncollected()
def publish_list(
    *, month: date, digest: str, actor: User | None, reason: str
) -> OfficialList:
    """Publish the draft of *month*: rows and files in one transaction, for good.

    *digest* is that of the draft somebody has looked at; what would be published now
    has to be the same.
    """
    require(actor, MAY_PUBLISH)
    if not reason.strip():
        raise ListRefused(gettext("Give a reason: it stays with the list permanently."))
    with transaction.atomic():
        hold_ratings()
        draft = ListDraft.objects.select_for_update().filter(month=month).first()
        refuse_month(month)
        draft = publishable(draft, digest)
        computed = compute(month=month, moment=draft.cut_off)
        if computed.digest != digest:
            raise ListRefused(
                gettext(
                    "Members or memberships have changed since this list was prepared. "
                    "Prepare it again and look at it once more."
                )
            )
        if not computed.rows:
            raise ListRefused(gettext("Nobody would be on this list."))
        published = _write(draft, computed, actor=actor, reason=reason)
        record("list.published", subject=published, actor=actor, reason=reason)
        list_published.send(sender=OfficialList, official_list=published)
    return published


def _cut_off(month: date, now: datetime) -> datetime:
    cut_off = cut_off_for(month)
    if OfficialList.objects.exists() or cut_off >= now:
        return cut_off
    had_books = Calculation.objects.filter(created_at__lte=cut_off).exists()
    return cut_off if had_books else now


def refuse_month(month: date) -> None:
    """Raise ListRefused unless there may still be a list of *month*."""
    if month.day != 1:
        raise ListRefused(gettext("A list is for a whole month: give its first day."))
    newest = OfficialList.objects.first()
    if newest is None or newest.month < month:
        return
    if OfficialList.objects.filter(month=month).exists():
        raise ListRefused(
            gettext(
                "The list of {month_name} is published already, and a published "
                "list never changes."
            ).format(month_name=month_name(month))
        )
    raise ListRefused(
        gettext(
            "The list of {name} is published already. An earlier one would change "
            "what was official then."
        ).format(name=newest.name)
    )


def publishable(draft: ListDraft | None, digest: str) -> ListDraft:
    """Return the draft that was looked at; raises ListRefused if it cannot go out."""
    if draft is None:
        raise ListRefused(gettext("Prepare the list first, and look at it."))
    if draft.cut_off > timezone.now():
        raise ListRefused(
            gettext("The books for this list are open until {written_moment}.").format(
                written_moment=written_moment(draft.cut_off)
            )
        )
    if draft.prepared_at < draft.cut_off:
        raise ListRefused(
            gettext("This was prepared before the cut-off. Prepare it again.")
        )
    if draft.digest != digest:
        raise ListRefused(
            gettext(
                "The list has been prepared again since you looked. Look at it once "
                "more."
            )
        )
    for problem in blocking_checks():
        raise ListRefused(problem)
    return draft


def _write(
    draft: ListDraft, computed: Computed, *, actor: User | None, reason: str
) -> OfficialList:
    published = OfficialList.objects.create(
        month=draft.month,
        cut_off=draft.cut_off,
        digest=draft.digest,
        members=len(computed.members),
        summary={**draft.summary, "totals": _totals(computed.rows)},
        prepared_at=draft.prepared_at,
        prepared_by=draft.prepared_by,
        published_at=timezone.now(),
        published_by=actor,
        reason=reason,
    )
    # While the database writes rows there is time to make the files of them.
    with ThreadPoolExecutor(1, thread_name_prefix="files") as beside:
        files = beside.submit(_files, computed, published.month, published.slug)
        # From the lowest up: so the index by rating grows at its end.
        from_lowest = reversed(computed.rows)
        rows = ((published.pk, *standing, *place) for standing, *place in from_lowest)
        copy_rows(OfficialRating, COLUMNS, rows)
        check_keys()
        for file in files.result():
            insert_with_bytes(OfficialListFile, list_id=published.pk, **file)
    return published


COLUMNS = ("list_id", *StandingAtCutOff._fields, *PlacedStanding._fields[1:])


def _files(computed: Computed, month: date, slug: str) -> list[dict[str, Any]]:
    """Return the columns of each file; nothing is asked of the database."""
    members = in_order(computed.members)
    contents = {
        "csv": computed.csv,
        "tsv": tsv_file(members),
        "dbf": dbf_file(members, month=month),
    }
    return [
        {
            "kind": kind,
            "name": f"ratings-{slug}.{kind}",
            "content": content,
            "compressed": gzip.compress(content, COMPRESSION, mtime=0),
            "size": len(content),
            "sha256": hashlib.sha256(content).hexdigest(),
        }
        for kind, content in contents.items()
    ]


def _totals(rows: list[PlacedStanding]) -> dict[str, dict[str, int]]:
    """Count the members of every system, in all ("") and by state."""
    totals: defaultdict[str, dict[str, int]] = defaultdict(dict)
    counted = Counter((row.standing.system, row.state) for row in rows)
    for (system, state), members in sorted(counted.items()):
        of_system = totals[str(system)]
        of_system[""] = of_system.get("", 0) + members
        if state:
            of_system[state] = members
    return dict(totals)
