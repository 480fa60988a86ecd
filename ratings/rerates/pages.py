"""Preview lines: the effects of starting, publishing or undoing a rerate."""

from collections.abc import Iterator, Mapping
from datetime import date
from typing import Any

from django.conf import settings
from django.db.models import Count
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from events.models import Section
from players.models import Player
from ratings.engine.numbers import official
from ratings.engine.systems import System
from ratings.ledger.queries.published_ratings import lists_since
from ratings.models import OfficialList, RerateMark, Run
from ratings.rerates.services.publishing import PUBLISH_PERMISSION
from ratings.rerates.services.start import (
    Snapshot,
    earliest_pending_day,
)
from ratings.rerates.services.undo import (
    UNDO_PERMISSION,
    first_affected_day,
    rated_since,
)
from ratings_site.common.accounts.queries import permission_holders_text
from ratings_site.common.approvals.preview import (
    PreviewLine,
    no_approval_line,
    pending_rerate_line,
    second_approval_line,
)
from ratings_site.common.models import User
from ratings_site.common.ui.formatting import format_day, signed

# The rating effect, of a rerate or of a dry run


def preview_summary(summary: Mapping[str, Any]) -> Iterator[PreviewLine]:
    """Describe which current ratings change, from a preview's counts (one query)."""
    if not summary["ratings"]:
        yield PreviewLine("no_change", _("No current rating changes."))
        return
    yield _whole_changes(summary)
    yield _members(summary["players"])
    yield from _largest(summary)
    yield from _begun(summary)
    yield from _moved(
        "classes",
        summary["classes"],
        ngettext(
            "{number:,} rating moves to another class.",
            "{number:,} ratings move to another class.",
            summary["classes"]["count"],
        ),
        _("Classes: {higher:,} gained, {lower:,} lost."),
    )
    yield from _moved(
        "floors",
        summary["floors"],
        ngettext(
            "{number:,} floor changes.",
            "{number:,} floors change.",
            summary["floors"]["count"],
        ),
        _("Floors: {higher:,} rise, {lower:,} fall."),
    )
    yield from _standing(summary)


def _whole_changes(summary: Mapping[str, Any]) -> PreviewLine:
    number = summary["whole_changes"]
    if not number:
        return PreviewLine("ratings", _("No rating changes by a whole point."))
    sentence = ngettext(
        "{number:,} rating changes by a whole point or more: {systems}.",
        "{number:,} ratings change by a whole point or more: {systems}.",
        number,
    )
    systems = _by_system(summary["whole"])
    return PreviewLine("ratings", sentence.format(number=number, systems=systems))


def _by_system(numbers: Mapping[str, int]) -> str:
    return ", ".join(
        f"{_(system.label)} ({numbers[system]:,})"
        for system in System
        if numbers.get(system)
    )


def _members(number: int) -> PreviewLine:
    return PreviewLine(
        "members",
        ngettext(
            "{number:,} member is affected.",
            "{number:,} members are affected.",
            number,
        ).format(number=number),
    )


def _largest(summary: Mapping[str, Any]) -> Iterator[PreviewLine]:
    extremes = _extremes(summary)
    people = Player.objects.in_bulk({move["player"] for move in extremes.values()})
    for side, sentence in (
        ("gain", _("Largest gain: {gain}.")),
        ("loss", _("Largest loss: {loss}.")),
    ):
        if move := extremes.get(side):
            name, system = people[move["player"]].name, _(System(move["system"]).label)
            text = f"{signed(_points(move))} ({name}, {system})"
            yield PreviewLine(side, sentence.format(**{side: text}))


def _points(move: Mapping[str, Any]) -> int:
    return official(move["after"]) - official(move["before"])


def _extremes(summary: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """Return the largest gain and loss; for old rerates, among the movers."""
    if "largest" in summary:
        largest: dict[str, Mapping[str, Any]] = summary["largest"]
        return largest
    found: dict[str, Mapping[str, Any]] = {}
    for move in summary["movers"]:  # the largest first
        found.setdefault("gain" if _points(move) > 0 else "loss", move)
    return found


def _begun(summary: Mapping[str, Any]) -> Iterator[PreviewLine]:
    started, ended = (sum(summary[name].values()) for name in ("started", "ended"))
    if started:
        yield PreviewLine(
            "started",
            ngettext(
                "{number:,} player gets a first rating.",
                "{number:,} players get a first rating.",
                started,
            ).format(number=started),
        )
    if ended:
        yield PreviewLine(
            "ended",
            ngettext(
                "{number:,} rating is removed: the member becomes unrated in the "
                "system.",
                "{number:,} ratings are removed: the members become unrated in the "
                "system.",
                ended,
            ).format(number=ended),
            "warning",
        )


def _moved(
    code: str, counts: Mapping[str, Any], older: str, sentence: str
) -> Iterator[PreviewLine]:
    """Count what went up and down; *older* rerates do not tell them apart."""
    count, higher = counts["count"], counts.get("higher")
    if count and higher is None:
        yield PreviewLine(code, older.format(number=count))
    elif count:
        yield PreviewLine(code, sentence.format(higher=higher, lower=count - higher))


def _standing(summary: Mapping[str, Any]) -> Iterator[PreviewLine]:
    if number := summary["established"]["count"]:
        yield PreviewLine(
            "established",
            ngettext(
                "{number:,} rating changes between established and provisional.",
                "{number:,} ratings change between established and provisional.",
                number,
            ).format(number=number),
        )
    if number := summary.get("titles", {}).get("count", 0):
        yield PreviewLine(
            "titles",
            ngettext(
                "The Life Master title of {number:,} member is affected.",
                "The Life Master titles of {number:,} members are affected.",
                number,
            ).format(number=number),
            "warning",
        )


# Actions


def preview_start(user: User) -> list[PreviewLine]:
    """Describe a rerate that starts at the earliest pending rerate."""
    return [
        *_window(),
        PreviewLine(
            "shadow",
            _(
                "All six systems are replayed without touching current ratings. "
                "Only the office sees the results."
            ),
        ),
        _next_step(user),
        PreviewLine(
            "one_at_a_time",
            _(
                "Until this rerate is published or discarded, you can’t start "
                "another or publish a list."
            ),
        ),
        no_approval_line(),
    ]


def _window() -> Iterator[PreviewLine]:
    first = earliest_pending_day()
    if first is None:
        yield PreviewLine(
            "no_mark",
            _(
                "No pending rerates: it starts on the date you choose, or replays "
                "the full history."
            ),
        )
        return
    number = RerateMark.objects.pending().count()
    yield PreviewLine(
        "from",
        ngettext(
            "{number:,} pending rerate: history is replayed from {day}, or from an "
            "earlier date you choose.",
            "{number:,} pending rerates: history is replayed from {day}, or from "
            "an earlier date you choose.",
            number,
        ).format(number=number, day=format_day(first)),
    )
    yield _sections_since(first)


def _sections_since(day: date) -> PreviewLine:
    rated = Section.objects.filter(status=Section.Status.RATED, ends__gte=day).count()
    return PreviewLine(
        "sections",
        ngettext(
            "{number:,} rated section has ended since then.",
            "{number:,} rated sections have ended since then.",
            rated,
        ).format(number=rated),
    )


def _next_step(user: User) -> PreviewLine:
    most = settings.RERATE_AUTO_PUBLISH_UP_TO
    if most:
        return PreviewLine(
            "publishes_itself",
            ngettext(
                "If no more than {number:,} rating changes, it is published "
                "automatically.",
                "If no more than {number:,} ratings change, it is published "
                "automatically.",
                most,
            ).format(number=most),
            "warning",
        )
    sentence = _(
        "No rating changes yet. You’ll see a preview first, and then decide "
        "whether to publish."
    )
    if user.has_perm(PUBLISH_PERMISSION):
        return PreviewLine("preview", sentence)
    who = permission_holders_text(PUBLISH_PERMISSION)
    return PreviewLine("preview", f"{sentence} {who}", "note")


def preview_publish(run: Run, user: User) -> list[PreviewLine]:
    """Describe the effects of publishing a finished rerate, from its counts."""
    sections = run.summary["sections"]["count"]
    return [
        *_news(run),
        *preview_summary(run.summary),
        *_recalculated_sections(sections),
        *_included_pending_rerates(),
        *_lists(),
        PreviewLine(
            "told",
            _(
                "The changes and the reason are public. Members whose ratings "
                "change are notified if they have notices turned on."
            ),
        ),
        _undoing(user),
        no_approval_line(),
    ]


def _recalculated_sections(sections: int) -> Iterator[PreviewLine]:
    if sections:
        yield PreviewLine(
            "sections",
            ngettext(
                "{number:,} section gets a new calculation. The old one is kept.",
                "{number:,} sections get new calculations. The old ones are kept.",
                sections,
            ).format(number=sections),
        )


def _news(run: Run) -> Iterator[PreviewLine]:
    if Snapshot.stored(run.progress) == Snapshot.now():
        return
    yield PreviewLine(
        "news",
        _(
            "New data has arrived since the preview. It is added first. If that "
            "changes the preview, nothing is published and you can review it again."
        ),
        "warning",
    )


def _included_pending_rerates() -> Iterator[PreviewLine]:
    if number := RerateMark.objects.pending().count():
        yield PreviewLine(
            "marks",
            ngettext(
                "It completes {number:,} pending rerate. None remain.",
                "It completes {number:,} pending rerates. None remain.",
                number,
            ).format(number=number),
        )


def _lists() -> Iterator[PreviewLine]:
    if OfficialList.objects.exists():
        yield PreviewLine(
            "lists",
            _("Published lists don’t change. The next list will have the new ratings."),
        )


def _undoing(user: User) -> PreviewLine:
    sentence = _(
        "You can undo it until another rerate is published. After an official list "
        "is published, undoing needs a second approval."
    )
    if user.has_perm(UNDO_PERMISSION):
        return PreviewLine("undo", sentence)
    return PreviewLine("undo", f"{sentence} {permission_holders_text(UNDO_PERMISSION)}")


def preview_discard(run: Run, user: User) -> list[PreviewLine]:
    return [
        PreviewLine("no_change", _("The rerate is discarded. No ratings change.")),
        *_remaining_pending_rerates(),
        PreviewLine(
            "final",
            _("You can’t undo this, but you can start another rerate right away."),
        ),
        no_approval_line(),
    ]


def _remaining_pending_rerates() -> Iterator[PreviewLine]:
    if first := earliest_pending_day():
        number = RerateMark.objects.pending().count()
        yield PreviewLine(
            "marks",
            ngettext(
                "{number:,} pending rerate remains. The next rerate replays "
                "history from {day}.",
                "{number:,} pending rerates remain. The next rerate replays "
                "history from {day}.",
                number,
            ).format(number=number, day=format_day(first)),
        )


def preview_retry(run: Run, user: User) -> list[PreviewLine]:
    return [
        PreviewLine(
            "goes_on",
            _("The rerate continues from where it stopped."),
        ),
        _next_step(user),
        no_approval_line(),
    ]


def preview_undo(run: Run, user: User) -> list[PreviewLine]:
    """Describe the effects of undoing a rerate on ratings and pending rerates."""
    return [
        *_restored_ratings(run),
        *_reopened_pending_rerates(run),
        *_rated_since(run),
        PreviewLine(
            "told",
            _(
                "The undo and the reason are public. Members whose ratings had "
                "changed are notified if they have notices turned on."
            ),
        ),
        PreviewLine(
            "final", _("You can’t undo this, but you can start another rerate.")
        ),
        *_agreement(run, user),
    ]


def _restored_ratings(run: Run) -> Iterator[PreviewLine]:
    moved = run.differences.order_by().values("system").annotate(number=Count("pk"))
    numbers = {row["system"]: row["number"] for row in moved}
    if not numbers:
        yield PreviewLine("no_change", _("No current rating changes by a whole point."))
        return
    members = run.differences.order_by().values("player").distinct().count()
    total = sum(numbers.values())
    yield PreviewLine(
        "ratings",
        ngettext(
            "{number:,} rating goes back to its value before the rerate: {systems}.",
            "{number:,} ratings go back to their values before the rerate: {systems}.",
            total,
        ).format(number=total, systems=_by_system(numbers)),
    )
    yield _members(members)


def _reopened_pending_rerates(run: Run) -> Iterator[PreviewLine]:
    days = sorted(run.marks.values_list("from_day", flat=True))
    if not days:
        return
    begins = min(days[0], earliest_pending_day() or days[0])
    yield PreviewLine(
        "marks",
        ngettext(
            "The pending rerate it included is open again. The next rerate replays "
            "history from {begins}.",
            "The {number:,} pending rerates it included are open again. The next "
            "rerate replays history from {begins}.",
            len(days),
        ).format(number=len(days), begins=format_day(begins)),
    )


def _rated_since(run: Run) -> Iterator[PreviewLine]:
    first = first_affected_day(run)
    if first is None:
        return
    number = rated_since(run).values("section").distinct().count()
    yield PreviewLine(
        "rated_since",
        ngettext(
            "{number:,} section has been rated from the new ratings since. It and "
            "its players’ ratings don’t change until the next rerate.",
            "{number:,} sections have been rated from the new ratings since. They "
            "and their players’ ratings don’t change until the next rerate.",
            number,
        ).format(number=number),
        "warning",
    )
    days = [first, *run.marks.values_list("from_day", flat=True)]
    if earliest := earliest_pending_day():
        days.append(earliest)
    yield pending_rerate_line(first, min(days))


def _agreement(run: Run, user: User) -> Iterator[PreviewLine]:
    newest = lists_since(run.published_at).first() if run.published_at else None
    if newest is None:
        yield no_approval_line()
        return
    sentence = _(
        "The {name} list has been published since, so a second person must approve "
        "this. Nothing changes until then."
    )
    yield PreviewLine("list", sentence.format(name=newest.name), "warning")
    yield second_approval_line(UNDO_PERMISSION, user)
