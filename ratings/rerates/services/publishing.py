"""Make a rerate's ratings the current ones, all at once."""

from time import perf_counter

from django.db import connection, transaction
from django.db.models import Exists, OuterRef
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from events.models import Section
from ratings.ledger.services.match_requests import open_match_requests
from ratings.ledger.services.projection import FIELDS
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
from ratings.rerates.services.arrivals import Seen
from ratings.rerates.services.books import source_column
from ratings.rerates.services.effects import (
    final_calculations,
    why_not_publish,
)
from ratings.rerates.services.passes import go_through, has_ended
from ratings.rerates.services.people import batches
from ratings.rerates.services.shadow import IDS_AT_A_TIME, Part, look_at_calculations
from ratings.rerates.services.shown import Preview
from ratings.rerates.services.starting import RerateRefused, said
from ratings.signals import rerate_published
from ratings_site.common.accounts.permissions import require
from ratings_site.common.audit.services import record
from ratings_site.common.database.locks import hold_ratings
from ratings_site.common.models import User

# So many calculations that it pays to count what they are found by, at once.
MANY = 20_000
PUBLISH_PERMISSION = "ratings.publish_rerate"


class PreviewChanged(RerateRefused):
    """The run would change something else than what the person has looked at."""


def publish_rerate(
    *, run_id: int, actor: User | None, reason: str, shown_pass: int | None = None
) -> Run:
    """Make a finished rerate's ratings the current ones, all at once, here and now.

    Pages leave it to a worker (`approving`). What has arrived since the rerate was
    ready is taken in first, while nobody else writes ratings. *shown_pass* is the pass
    whose preview the person has looked at: if the counts are others by now, the new
    preview stays to be looked at instead, and PreviewChanged is raised. A run in which
    a check fails is never published. Publishing what is published changes nothing.
    """
    require(actor, PUBLISH_PERMISSION)
    reason = said(reason)
    with transaction.atomic():
        hold_ratings()
        run = locked_run(run_id)
        if run.status == Run.Status.PUBLISHED:
            return run
        refuse_unready(run)
        shown = Preview.of(run)
        is_outdated = shown_pass not in (None, run.pass_number)
        catch_up(run, transaction.atomic)
        news = shown.news(run) or (OUTDATED if is_outdated else "")
        fault = why_not_publish(run)
        is_as_shown = shown_pass is None or not news
        if is_as_shown and not fault:
            make_public(run, actor=actor, reason=reason)
    # Refused only here, so that what was caught up with stays, to be looked at.
    if fault:
        raise RerateRefused(fault)
    if not is_as_shown:
        raise PreviewChanged(str(news))
    return run


OUTDATED = gettext_lazy(
    "The preview has changed since you opened it. Look at it again and publish."
)


def refuse_unready(run: Run) -> None:
    if run.status != Run.Status.READY:
        only = _("Only a rerate that is ready can be published.")
        raise RerateRefused(f"{run.standing()} {only}")


def catch_up(run: Run, part: Part) -> None:
    """Take in what has arrived since the last pass, if anything has."""
    if not is_up_to_date(run):
        go_through(run, part)
        run.ready_at = timezone.now()
        run.save(update_fields=["ready_at"])


def is_up_to_date(run: Run) -> bool:
    """Tell whether the last pass came to its end, and nothing has arrived since."""
    return has_ended(run) and Seen.now() == Seen.stored(run.progress)


def make_public(run: Run, *, actor: User | None, reason: str) -> None:
    """Move the flags and the current ratings; the ratings are held by the caller."""
    began = perf_counter()
    _move_flags(run)
    _ask_for_lower_floors(run)
    _move_ratings(run)
    _keep_whole_points(run)
    seen = Seen.stored(run.progress)
    marks = RerateMark.objects.filter(run=None, pk__among=seen.marks if seen else ())
    marks.update(run=run)
    run.status = Run.Status.PUBLISHED
    run.published_at = timezone.now()
    run.published_by, run.publish_reason = actor, reason
    # Why it was not published before is of no more use.
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
    for batch in batches(run.progress.get("retired", ()), IDS_AT_A_TIME):
        current.filter(pk__among=batch).update(is_current=False, superseded_by=run)
    look_if_many(final_calculations(run).update(is_current=True))


def look_if_many(moved: int) -> None:
    """Have PostgreSQL count calculations where the flags of very many have moved."""
    if moved >= MANY:
        look_at_calculations()


def _ask_for_lower_floors(run: Run) -> None:
    """Let matches that a floor holds by now ask for a lower one, as when rated."""
    matches = final_calculations(run).filter(section__kind=Section.Kind.MATCH)
    # By their numbers: a join would have PostgreSQL read the whole ledger.
    numbers = matches.order_by("pk").values_list("pk", flat=True)
    for batch in batches(numbers, IDS_AT_A_TIME):
        held = RatingChange.objects.filter(calculation__among=batch, floor_request=True)
        for line in held.select_related("calculation__section").order_by("pk"):
            open_match_requests(line.calculation, [line])


def _move_ratings(run: Run) -> None:
    """Copy the run's ratings: those of the unrated as they are, others over theirs."""
    columns = ", ".join(["player_id", "system", *_RATING_COLUMNS])
    theirs = ", ".join(["player_id", "system", "after", *_RATING_COLUMNS[1:]])
    moved = ", ".join(f"{name} = new.{name}" for name in _RATING_COLUMNS[1:])
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
            # A current rating that went missing is not one to be passed over.
            cursor.execute(
                f"{copied} NOT NULL AND NOT EXISTS "  # noqa: S608 (our own names)
                f"(SELECT 1 FROM {ratings} AS rated WHERE {same})",
                [run.pk],
            )
    gone = run.differences.filter(after=None)
    if gone.exists():
        same_rating = gone.filter(player=OuterRef("player"), system=OuterRef("system"))
        PlayerRating.objects.filter(Exists(same_rating)).delete()


_RATING_COLUMNS = [PlayerRating._meta.get_field(name).column for name in FIELDS]


def _keep_whole_points(run: Run) -> None:
    """Keep for good which ratings changed in whole numbers, and no others."""
    rated_before_and_after(run).alias(moved=WHOLE_POINTS).filter(moved=0).delete()


def discard_rerate(*, run_id: int, actor: User | None, reason: str) -> Run:
    """Give a rerate up. What it wrote stays unseen; its marks stay open."""
    require(actor, PUBLISH_PERMISSION)
    with transaction.atomic():
        run = locked_run(run_id)
        if run.status == Run.Status.DISCARDED:
            return run
        if not (run.is_open or run.status == Run.Status.FAILED):
            only = _("Only what is not published can be discarded.")
            raise RerateRefused(f"{run.standing()} {only}")
        run.status = Run.Status.DISCARDED
        run.save(update_fields=["status"])
        record("rerate.discarded", subject=run, actor=actor, reason=said(reason))
        run.differences.all().delete()
    return run


def locked_run(run_id: int) -> Run:
    return Run.objects.select_for_update(of=("self",)).get(
        pk=run_id, kind=Run.Kind.RERATE
    )
