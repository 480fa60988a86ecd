"""Prepare official lists as drafts, and publish them."""

import gzip
import hashlib
from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor
from datetime import date, datetime
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from ratings.lists.files import dbf_file, tsv_file
from ratings.lists.queries.official import cut_off_for, written_moment
from ratings.lists.services.rows import (
    ComputedList,
    RankedStanding,
    StandingAtCutOff,
    compute_list,
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
from ratings_site.common.accounts.permissions import require_permission
from ratings_site.common.approvals.kinds import Refusal
from ratings_site.common.audit.services import record
from ratings_site.common.db.bulk import (
    check_foreign_keys,
    copy_rows,
    gc_paused,
    insert_with_bytes,
)
from ratings_site.common.db.locks import lock_ratings
from ratings_site.common.models import User

MAY_PUBLISH = "ratings.publish_list"
# Takes a third of the time of level 9, for a tenth more bytes.
COMPRESSION = 4


class ListRefused(Refusal):
    """The list cannot be prepared or published, for the reason in the message."""


@gc_paused()
def prepare_list(
    *,
    month: date,
    actor: User | None,
    cut_off: datetime | None = None,
    correction: int = 0,
) -> ListDraft:
    """Compute the list of *month* as a draft to review.

    Before the cutoff, the draft is the list if no more is rated. *cut_off* defaults to
    that of the calendar, or to now if the ratings were imported after it and no list
    has been published yet. A *correction* of the newest list, by its number, includes
    all that has been rated by now.
    """
    check_month(month, correction)
    prepared_at = timezone.now()
    if cut_off is None:
        cut_off = prepared_at if correction else _cut_off(month, prepared_at)
    corrected = corrected_by(month, correction)
    computed = compute_list(month=month, moment=min(cut_off, prepared_at))
    with transaction.atomic():
        draft, _ = ListDraft.objects.update_or_create(
            month=month,
            defaults={
                "correction": correction,
                "cut_off": cut_off,
                "digest": computed.digest,
                "summary": summary_of(month, cut_off, computed, corrected),
                "prepared_at": prepared_at,
                "prepared_by": actor,
            },
        )
        record("list.prepared", subject=draft, actor=actor)
    return draft


@gc_paused()
def publish_list(
    *,
    month: date,
    digest: str,
    actor: User | None,
    reason: str,
    approved_by: User | None = None,
) -> OfficialList:
    """Publish the draft of *month*: rows and files, in one transaction.

    *digest* is that of the reviewed draft; the list computed now has to have the same.
    *approved_by* is the second person if the setting LIST_SECOND_PERSON requires one.
    """
    require_permission(actor, MAY_PUBLISH)
    if not reason.strip():
        raise ListRefused(_("Give a reason: it stays with the list permanently."))
    if settings.LIST_SECOND_PERSON and approved_by is None:
        raise ListRefused(_("It needs a second approval."))
    with transaction.atomic():
        lock_ratings()
        draft = ListDraft.objects.select_for_update().filter(month=month).first()
        draft = require_publishable(draft, digest)
        check_month(month, draft.correction)
        corrected = corrected_by(month, draft.correction)
        if corrected is not None and corrected.digest == digest:
            raise ListRefused(
                _("The correction would be the same as the published list.")
            )
        computed = compute_list(month=month, moment=draft.cut_off)
        if computed.digest != digest:
            raise ListRefused(
                _(
                    "Members or memberships changed after this list was prepared. "
                    "Prepare it again and review it."
                )
            )
        if not computed.rows:
            raise ListRefused(_("This list would have no members."))
        published = _write(draft, computed, actor=actor, reason=reason)
        facts = {"approved_by": str(approved_by)} if approved_by else {}
        if corrected is not None:
            facts["withdrawn"] = str(corrected)
        record(
            "list.published", subject=published, actor=actor, reason=reason, facts=facts
        )
        list_published.send(sender=OfficialList, official_list=published)
    return published


def _cut_off(month: date, now: datetime) -> datetime:
    cut_off = cut_off_for(month)
    if OfficialList.objects.exists() or cut_off >= now:
        return cut_off
    had_ledger = Calculation.objects.filter(created_at__lte=cut_off).exists()
    return cut_off if had_ledger else now


def corrected_by(month: date, correction: int) -> OfficialList | None:
    """Return the list that this correction withdraws."""
    lists = OfficialList.objects.filter(month=month, correction=correction - 1)
    return lists.first() if correction else None


def next_correction(month: date) -> int:
    """Return the number of the next correction of a month's list."""
    lists = OfficialList.objects.filter(month=month)
    return 1 + max(lists.values_list("correction", flat=True), default=0)


def check_month(month: date, correction: int = 0) -> None:
    """Raise ListRefused if the list of *month* can no longer be prepared."""
    if month.day != 1:
        raise ListRefused(
            _("A list is for a whole month. Enter the first day of the month.")
        )
    newest = OfficialList.objects.first()
    if correction:
        if newest is None or newest.month != month:
            raise ListRefused(_("Only the latest list can be corrected."))
        if correction != newest.correction + 1:
            raise ListRefused(
                _("{name} is already published.").format(name=newest.name)
            )
        return
    if newest is None or newest.month < month:
        return
    if OfficialList.objects.filter(month=month).exists():
        raise ListRefused(
            _(
                "The {month_name} list is already published, and a published list "
                "never changes."
            ).format(month_name=month_name(month))
        )
    raise ListRefused(
        _(
            "The {name} list is already published. An earlier list would change what "
            "was official then."
        ).format(name=newest.name)
    )


def require_publishable(draft: ListDraft | None, digest: str) -> ListDraft:
    """Return the reviewed draft. Raises ListRefused if it cannot be published."""
    if draft is None:
        raise ListRefused(_("Prepare the list and review it first."))
    if draft.cut_off > timezone.now():
        raise ListRefused(
            _("You can publish this list after its cutoff, {written_moment}.").format(
                written_moment=written_moment(draft.cut_off)
            )
        )
    if draft.prepared_at < draft.cut_off:
        raise ListRefused(
            _("This draft was prepared before the cutoff. Prepare it again.")
        )
    if draft.digest != digest:
        raise ListRefused(
            _("The list was prepared again after you opened it. Review it again.")
        )
    for problem in blocking_checks():
        raise ListRefused(problem)
    return draft


def _write(
    draft: ListDraft, computed: ComputedList, *, actor: User | None, reason: str
) -> OfficialList:
    in_force_from = None
    if draft.correction:
        in_force_from = max(draft.month, timezone.localdate())
    published = OfficialList.objects.create(
        month=draft.month,
        correction=draft.correction,
        in_force_from=in_force_from,
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
    # The files are made while the database writes the rows.
    with ThreadPoolExecutor(1, thread_name_prefix="files") as executor:
        files = executor.submit(_files, computed, published.month, published.key)
        # In ascending order, so that the index by rating grows at its end.
        from_lowest = reversed(computed.rows)
        rows = ((published.pk, *standing, *place) for standing, *place in from_lowest)
        copy_rows(OfficialRating, COLUMNS, rows)
        check_foreign_keys()
        for file in files.result():
            insert_with_bytes(OfficialListFile, list_id=published.pk, **file)
    return published


COLUMNS = ("list_id", *StandingAtCutOff._fields, *RankedStanding._fields[1:])


def _files(computed: ComputedList, month: date, key: str) -> list[dict[str, Any]]:
    """Return the fields of each file, without a query."""
    members = in_order(computed.members)
    contents = {
        "csv": computed.csv,
        "tsv": tsv_file(members),
        "dbf": dbf_file(members, month=month),
    }
    return [
        {
            "kind": kind,
            "name": f"ratings-{key}.{kind}",
            "content": content,
            "compressed": gzip.compress(content, COMPRESSION, mtime=0),
            "size": len(content),
            "sha256": hashlib.sha256(content).hexdigest(),
        }
        for kind, content in contents.items()
    ]


def _totals(rows: list[RankedStanding]) -> dict[str, dict[str, int]]:
    """Count the members of every system, in all ("") and by state."""
    totals: defaultdict[str, dict[str, int]] = defaultdict(dict)
    counted = Counter((row.standing.system, row.state) for row in rows)
    for (system, state), members in sorted(counted.items()):
        of_system = totals[str(system)]
        of_system[""] = of_system.get("", 0) + members
        if state:
            of_system[state] = members
    return dict(totals)
