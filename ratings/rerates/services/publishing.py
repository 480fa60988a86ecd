"""Publish a rerate: make its ratings current in one transaction."""

from collections.abc import Mapping
from datetime import datetime
from time import perf_counter
from typing import Any

from django.db import connection, transaction
from django.db.models import Exists, OuterRef
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, gettext_noop, ngettext

from events.models import Section
from ratings.ledger.services.projection import ATTRIBUTES, RATING_COLUMNS
from ratings.ledger.services.sections import open_match_requests
from ratings.models import (
    Calculation,
    PlayerRating,
    RatingChange,
    RerateMark,
    Run,
    RunDifference,
)
from ratings.models.run import WHOLE_POINTS
from ratings.rerates.queries import rated_before_and_after
from ratings.rerates.services.change_summary import (
    final_calculations,
    publish_denial_reason,
)
from ratings.rerates.services.passes import is_complete, run_pass
from ratings.rerates.services.players import batches
from ratings.rerates.services.sources import source_column
from ratings.rerates.services.staged_ledger import (
    TransactionFactory,
    analyze_calculations,
)
from ratings.rerates.services.start import (
    RerateRefused,
    Snapshot,
    clean_reason,
    reports_since,
)
from ratings.signals import rerate_published
from ratings_site.common.accounts.permissions import require_permission
from ratings_site.common.audit.services import record
from ratings_site.common.db.locks import lock_ratings
from ratings_site.common.models import User
from ratings_site.common.ui.formatting import clock, format_day

# The counts of a preview, and the text if one of them has changed.
COUNTS = {
    "whole_changes": gettext_noop("ratings changed: {shown:,}, now {now:,}"),
    "players": gettext_noop("members affected: {shown:,}, now {now:,}"),
    "floors": gettext_noop("floors affected: {shown:,}, now {now:,}"),
    "classes": gettext_noop("classes affected: {shown:,}, now {now:,}"),
    "established": gettext_noop(
        "changes between established and provisional: {shown:,}, now {now:,}"
    ),
    "titles": gettext_noop("titles affected: {shown:,}, now {now:,}"),
}
# With arrivals allowed, a count may change by one in fifty, or by 5 if that is more.
ONE_IN, SOME = 50, 5


def preview_counts(summary: Mapping[str, Any]) -> dict[str, int]:
    """Return the counts that a preview shows, by their names in the summary."""
    return {name: _count(summary.get(name, 0)) for name in COUNTS}


def _count(value: int | dict[str, Any]) -> int:
    return value["count"] if isinstance(value, dict) else value


def reviewed_preview(run: Run, *, with_arrivals: bool = False) -> dict[str, Any]:
    """Return the preview that a person reviews: its counts, and the time of its data.

    *with_arrivals* allows publishing although new reports change the counts a little.
    """
    assert run.ready_at is not None  # noqa: S101 (a run with a preview is ready)
    return {
        "counts": preview_counts(run.summary),
        "seen": run.progress.get("seen"),
        "ready_at": run.ready_at.isoformat(),
        "with_arrivals": with_arrivals,
    }


def preview_changes(preview: Mapping[str, Any], run: Run) -> dict[str, Any] | None:
    """Return how a run differs from its preview beyond what is allowed, None if not.

    It has the number of new reports and, by the name of a count, the number that was
    shown and the current one.
    """
    now = preview_counts(run.summary)
    moved = {
        name: [shown, now[name]]
        for name, shown in preview["counts"].items()
        if abs(now[name] - shown)
        > (max(SOME, shown // ONE_IN) if preview["with_arrivals"] else 0)
    }
    if not moved:
        return None
    reports = reports_since(Snapshot.stored(preview))
    return {"reports": reports, "since": preview["ready_at"], "moved": moved}


def changes_sentence(changes: Mapping[str, Any]) -> str:
    """Return why a run was not published as approved."""
    since = timezone.localtime(datetime.fromisoformat(changes["since"]))
    sentence = ngettext(
        "Not published: {number:,} report has arrived since {day}, {time}, and "
        "the preview has changed ({changes}). Review it again, then publish.",
        "Not published: {number:,} reports have arrived since {day}, {time}, "
        "and the preview has changed ({changes}). Review it again, then "
        "publish.",
        changes["reports"],
    )
    if not changes["reports"]:
        sentence = _(
            "Not published: data has changed since {day}, {time}, and so has "
            "the preview ({changes}). Review it again, then publish."
        )
    return sentence.format(
        number=changes["reports"],
        day=format_day(since),
        time=clock(since),
        changes="; ".join(
            _(COUNTS[name]).format(shown=shown, now=now)
            for name, (shown, now) in changes["moved"].items()
        ),
    )


# So many calculations that an immediate ANALYZE pays.
ANALYZE_THRESHOLD = 20_000
PUBLISH_PERMISSION = "ratings.publish_rerate"


class PreviewChanged(RerateRefused):
    """The run's changes differ from the preview that the person reviewed."""


def publish_rerate(
    *, run_id: int, actor: User | None, reason: str, shown_pass: int | None = None
) -> Run:
    """Make a finished rerate's ratings current, all at once, in this process.

    Pages leave it to a worker (`approval`). Reports that arrived after the rerate was
    ready are included first, under the lock. *shown_pass* is the pass whose preview the
    person reviewed: if the counts have changed, the new preview has to be reviewed
    instead, and PreviewChanged is raised. A run with a failed check is never published.
    Publishing a published run changes nothing.
    """
    require_permission(actor, PUBLISH_PERMISSION)
    reason = clean_reason(reason)
    with transaction.atomic():
        lock_ratings()
        run = locked_run(run_id)
        if run.status == Run.Status.PUBLISHED:
            return run
        refuse_unready(run)
        shown = reviewed_preview(run)
        is_outdated = shown_pass not in (None, run.pass_number)
        catch_up(run, transaction.atomic)
        news = str(OUTDATED) if is_outdated else ""
        if changes := preview_changes(shown, run):
            news = changes_sentence(changes)
        fault = publish_denial_reason(run)
        is_as_shown = shown_pass is None or not news
        if is_as_shown and not fault:
            make_public(run, actor=actor, reason=reason)
    # Raised after the commit, so that the new pass is saved for review.
    if fault:
        raise RerateRefused(fault)
    if not is_as_shown:
        raise PreviewChanged(news)
    return run


OUTDATED = gettext_lazy(
    "The preview has changed since you opened it. Review it again, then publish."
)


def refuse_unready(run: Run) -> None:
    if run.status != Run.Status.READY:
        only = _("Only a rerate that is ready can be published.")
        raise RerateRefused(f"{run.standing()} {only}")


def catch_up(run: Run, part: TransactionFactory) -> None:
    """Include reports that arrived after the last pass, if any."""
    if not is_up_to_date(run):
        run_pass(run, part)
        run.ready_at = timezone.now()
        run.save(update_fields=["ready_at"])


def is_up_to_date(run: Run) -> bool:
    """Return whether the last pass is finished, and no report has arrived since."""
    return is_complete(run) and Snapshot.now() == Snapshot.stored(run.progress)


def make_public(run: Run, *, actor: User | None, reason: str) -> None:
    """Move the flags and the current ratings; the caller has locked the ratings."""
    began = perf_counter()
    _move_flags(run)
    _ask_for_lower_floors(run)
    _move_ratings(run)
    _keep_whole_points(run)
    seen = Snapshot.stored(run.progress)
    marks = RerateMark.objects.filter(run=None, pk__in_array=seen.marks if seen else ())
    marks.update(run=run)
    run.status = Run.Status.PUBLISHED
    run.published_at = timezone.now()
    run.published_by, run.publish_reason = actor, reason
    # Clear the reason why it was not published before.
    run.message = ""
    run.progress.pop("news", None)
    run.progress.setdefault("seconds", {})["publish"] = perf_counter() - began
    run.save()
    record(
        "rerate.published",
        subject=run,
        actor=actor,
        reason=reason,
        facts={"whole_changes": run.summary.get("whole_changes", 0)},
    )
    rerate_published.send(sender=Run, run=run)


def _move_flags(run: Run) -> None:
    current = Calculation.objects.filter(is_current=True)
    for rank in Calculation.Rank.values:
        column = source_column(rank)
        instead = final_calculations(run).filter(
            **{column: OuterRef(column)}, system=OuterRef("system")
        )
        replaced = current.filter(Exists(instead), **{f"{column}__isnull": False})
        replaced.update(is_current=False, superseded_by=run)
    for batch in batches(run.progress.get("retired", ())):
        current.filter(pk__in_array=batch).update(is_current=False, superseded_by=run)
    analyze_if_many(final_calculations(run).update(is_current=True))


def analyze_if_many(moved: int) -> None:
    """Have PostgreSQL analyze calculations after the flags of very many have moved."""
    if moved >= ANALYZE_THRESHOLD:
        analyze_calculations()


def _ask_for_lower_floors(run: Run) -> None:
    """Open floor requests for matches in which a floor applies, as when rated."""
    matches = final_calculations(run).filter(section__kind=Section.Kind.MATCH)
    # By primary key: with a join PostgreSQL would read the whole ledger.
    numbers = matches.order_by("pk").values_list("pk", flat=True)
    for batch in batches(numbers):
        held = RatingChange.objects.filter(
            calculation__in_array=batch, floor_request=True
        )
        for line in held.select_related("calculation__section").order_by("pk"):
            open_match_requests(line.calculation, [line])


def _move_ratings(run: Run) -> None:
    """Copy the run's ratings: insert those of the unrated, update the others."""
    columns = ", ".join(RATING_COLUMNS)
    theirs = ", ".join(["player_id", "system", "after", *ATTRIBUTES[1:]])
    moved = ", ".join(f"{name} = new.{name}" for name in ATTRIBUTES[1:])
    ratings, differences = PlayerRating._meta.db_table, RunDifference._meta.db_table
    copied = (
        f"INSERT INTO {ratings} ({columns}) SELECT {theirs} FROM {differences} AS new "  # noqa: S608 (our own names)
        "WHERE run_id = %s AND after IS NOT NULL AND before IS"
    )
    same = "rated.player_id = new.player_id AND rated.system = new.system"
    with connection.cursor() as cursor:
        cursor.execute(f"{copied} NULL", [run.pk])
        cursor.execute(
            f"UPDATE {ratings} AS rated SET rating = new.after, {moved} "  # noqa: S608 (our own names)
            f"FROM {differences} AS new "
            "WHERE new.run_id = %s AND new.after IS NOT NULL "
            f"AND new.before IS NOT NULL AND {same}",
            [run.pk],
        )
        if cursor.rowcount < rated_before_and_after(run).count():
            # A missing current rating has to be inserted again.
            cursor.execute(
                f"{copied} NOT NULL AND NOT EXISTS "  # noqa: S608 (our own names)
                f"(SELECT 1 FROM {ratings} AS rated WHERE {same})",
                [run.pk],
            )
    gone = run.differences.filter(after=None)
    if gone.exists():
        same_rating = gone.filter(player=OuterRef("player"), system=OuterRef("system"))
        PlayerRating.objects.filter(Exists(same_rating)).delete()


def _keep_whole_points(run: Run) -> None:
    """Keep permanently which ratings changed in whole numbers, and no others."""
    rated_before_and_after(run).alias(moved=WHOLE_POINTS).filter(moved=0).delete()


def discard_rerate(*, run_id: int, actor: User | None, reason: str) -> Run:
    """Discard a rerate. Its lines stay hidden; its pending rerates stay open."""
    require_permission(actor, PUBLISH_PERMISSION)
    with transaction.atomic():
        run = locked_run(run_id)
        if run.status == Run.Status.DISCARDED:
            return run
        if not (run.is_open or run.status == Run.Status.FAILED):
            only = _("You can’t discard a published rerate.")
            raise RerateRefused(f"{run.standing()} {only}")
        run.status = Run.Status.DISCARDED
        run.save(update_fields=["status"])
        record(
            "rerate.discarded", subject=run, actor=actor, reason=clean_reason(reason)
        )
        run.differences.all().delete()
    return run


def locked_run(run_id: int) -> Run:
    return Run.objects.select_for_update(of=("self",)).get(
        pk=run_id, kind=Run.Kind.RERATE
    )
