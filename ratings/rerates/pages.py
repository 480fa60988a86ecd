"""What will happen: what starting, publishing or undoing a rerate does, beforehand."""

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
from ratings.ledger.queries.published import lists_since
from ratings.models import OfficialList, Run
from ratings.rerates.services.arrivals import (
    Seen,
    earliest_mark,
    open_marks,
)
from ratings.rerates.services.publishing import PUBLISH_PERMISSION
from ratings.rerates.services.undoing import UNDO_PERMISSION, day_to_mark, rated_since
from ratings_site.common.accounts.queries import who_may_in_words
from ratings_site.common.acts.effects import (
    Effect,
    leaves_mark,
    of_nobody_else,
    of_second_person,
)
from ratings_site.common.looks.figures import day_in_words, signed
from ratings_site.common.models import User

# The rating effect, of a rerate or of a dry run


def of_summary(summary: Mapping[str, Any]) -> Iterator[Effect]:
    """Say which current ratings change, from a preview's counts (one query)."""
    if not summary["ratings"]:
        yield Effect("no_change", _("No current rating changes."))
        return
    yield _whole_changes(summary)
    players = summary["players"]
    yield Effect(
        "members",
        ngettext(
            "Something changes for {number:,} member.",
            "Something changes for {number:,} members.",
            players,
        ).format(number=players),
    )
    yield from _largest(summary)
    yield from _begun(summary)
    yield from _classes(summary["classes"])
    yield from _floors(summary["floors"])
    yield from _standing(summary)


def _whole_changes(summary: Mapping[str, Any]) -> Effect:
    number = summary["whole_changes"]
    if not number:
        return Effect("ratings", _("No rating changes by a whole point."))
    systems = ", ".join(
        f"{_(system.label)} ({summary['whole'][system]:,})"
        for system in System
        if summary["whole"].get(system)
    )
    sentence = ngettext(
        "{number:,} rating changes by a whole point or more: {systems}.",
        "{number:,} ratings change by a whole point or more: {systems}.",
        number,
    )
    return Effect("ratings", sentence.format(number=number, systems=systems))


def _largest(summary: Mapping[str, Any]) -> Iterator[Effect]:
    extremes = _extremes(summary)
    people = Player.objects.in_bulk({move["player"] for move in extremes.values()})

    def said(side: str) -> str:
        move = extremes[side]
        return f"{signed(_points(move))} ({people[move['player']].name}, {_name(move)})"

    if "gain" in extremes:
        yield Effect("gain", _("The largest gain: {gain}.").format(gain=said("gain")))
    if "loss" in extremes:
        yield Effect("loss", _("The largest loss: {loss}.").format(loss=said("loss")))


def _name(move: Mapping[str, Any]) -> str:
    return _(System(move["system"]).label)


def _points(move: Mapping[str, Any]) -> int:
    return official(move["after"]) - official(move["before"])


def _extremes(summary: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """Return the largest gain and loss; of earlier days' rerates, among the movers."""
    if "largest" in summary:
        return summary["largest"]
    found: dict[str, Mapping[str, Any]] = {}
    for move in summary["movers"]:  # the largest first
        found.setdefault("gain" if _points(move) > 0 else "loss", move)
    return found


def _begun(summary: Mapping[str, Any]) -> Iterator[Effect]:
    started, ended = (sum(summary[name].values()) for name in ("started", "ended"))
    if started:
        yield Effect(
            "started",
            ngettext(
                "{number:,} rating begins.", "{number:,} ratings begin.", started
            ).format(number=started),
        )
    if ended:
        yield Effect(
            "ended",
            ngettext(
                "{number:,} rating falls away: its member becomes unrated in the "
                "system.",
                "{number:,} ratings fall away: their members become unrated in the "
                "system.",
                ended,
            ).format(number=ended),
            "warning",
        )


def _classes(classes: Mapping[str, Any]) -> Iterator[Effect]:
    count = classes["count"]
    if not count:
        return
    if "higher" not in classes:  # a rerate of earlier days
        sentence = ngettext(
            "{number:,} rating comes into another class.",
            "{number:,} ratings come into another class.",
            count,
        )
        yield Effect("classes", sentence.format(number=count))
        return
    yield Effect(
        "classes",
        _("Classes: {higher:,} gained, {lower:,} lost.").format(
            higher=classes["higher"], lower=count - classes["higher"]
        ),
    )


def _floors(floors: Mapping[str, Any]) -> Iterator[Effect]:
    count = floors["count"]
    if not count:
        return
    if "higher" not in floors:
        sentence = ngettext(
            "{number:,} floor changes.", "{number:,} floors change.", count
        )
        yield Effect("floors", sentence.format(number=count))
        return
    yield Effect(
        "floors",
        _("Floors: {higher:,} rise, {lower:,} fall.").format(
            higher=floors["higher"], lower=count - floors["higher"]
        ),
    )


def _standing(summary: Mapping[str, Any]) -> Iterator[Effect]:
    if number := summary["established"]["count"]:
        yield Effect(
            "established",
            ngettext(
                "{number:,} rating changes between established and provisional.",
                "{number:,} ratings change between established and provisional.",
                number,
            ).format(number=number),
        )
    if number := summary.get("titles", {}).get("count", 0):
        yield Effect(
            "titles",
            ngettext(
                "The Life Master title of {number:,} member is touched.",
                "The Life Master titles of {number:,} members are touched.",
                number,
            ).format(number=number),
            "warning",
        )


# The acts


def of_starting(user: User) -> list[Effect]:
    """Say what a rerate would do that begins where the marks say."""
    return [
        *_window(),
        Effect(
            "shadow",
            _(
                "All six systems are replayed beside the current ratings. Nobody sees "
                "the outcome but the office."
            ),
        ),
        _what_follows(user),
        Effect(
            "one_at_a_time",
            _(
                "No other rerate can be started, and no list published, until this one "
                "is published or discarded."
            ),
        ),
        of_nobody_else(),
    ]


def _window() -> Iterator[Effect]:
    first = earliest_mark()
    if first is None:
        yield Effect(
            "no_mark",
            _("No mark is open: it begins on the day that you name, or with nothing."),
        )
        return
    number = open_marks().count()
    yield Effect(
        "from",
        ngettext(
            "{number:,} mark is open: history is replayed from {day} on, or from an "
            "earlier day that you name.",
            "{number:,} marks are open: history is replayed from {day} on, or from an "
            "earlier day that you name.",
            number,
        ).format(number=number, day=day_in_words(first)),
    )
    yield _sections_since(first)


def _sections_since(day: date) -> Effect:
    rated = Section.objects.filter(status=Section.Status.RATED, ends__gte=day).count()
    return Effect(
        "sections",
        ngettext(
            "{number:,} rated section has ended since then.",
            "{number:,} rated sections have ended since then.",
            rated,
        ).format(number=rated),
    )


def _what_follows(user: User) -> Effect:
    most = settings.RERATE_AUTO_PUBLISH_UP_TO
    if most:
        return Effect(
            "publishes_itself",
            ngettext(
                "If no more than {number:,} rating changes, it publishes itself.",
                "If no more than {number:,} ratings change, it publishes itself.",
                most,
            ).format(number=most),
            "warning",
        )
    sentence = _(
        "No rating changes yet: a preview says what would, and publishing it is an act "
        "of its own."
    )
    if user.has_perm(PUBLISH_PERMISSION):
        return Effect("preview", sentence)
    who = who_may_in_words(PUBLISH_PERMISSION)
    return Effect("preview", f"{sentence} {who}", "note")


def of_publishing(run: Run, user: User) -> list[Effect]:
    """Say what publishing a finished rerate does, from what it counted."""
    sections = run.summary["sections"]["count"]
    return [
        *_news(run),
        *of_summary(run.summary),
        *_calculated_again(sections),
        *_marks_taken_in(),
        *_lists(),
        Effect(
            "told",
            _(
                "Everybody can read what changed and why. Members whose ratings change "
                "are told, if they wish to be."
            ),
        ),
        _undoing(user),
        of_nobody_else(),
    ]


def _calculated_again(sections: int) -> Iterator[Effect]:
    if sections:
        yield Effect(
            "sections",
            ngettext(
                "{number:,} section gets another calculation; the one before is kept.",
                "{number:,} sections get other calculations; those before are kept.",
                sections,
            ).format(number=sections),
        )


def _news(run: Run) -> Iterator[Effect]:
    if Seen.stored(run.progress) == Seen.now():
        return
    yield Effect(
        "news",
        _(
            "Something has arrived since it was ready. It is taken in first; if that "
            "changes the preview, nothing is published and you look at it again."
        ),
        "warning",
    )


def _marks_taken_in() -> Iterator[Effect]:
    if number := open_marks().count():
        yield Effect(
            "marks",
            ngettext(
                "It takes in {number:,} open mark. None stays open.",
                "It takes in {number:,} open marks. None stays open.",
                number,
            ).format(number=number),
        )


def _lists() -> Iterator[Effect]:
    if OfficialList.objects.exists():
        yield Effect(
            "lists",
            _("Published lists stay as they are; the next one has the new ratings."),
        )


def _undoing(user: User) -> Effect:
    sentence = _(
        "It can be undone until another rerate is published after it. Once an official "
        "list is published, undoing takes a second person."
    )
    if user.has_perm(UNDO_PERMISSION):
        return Effect("undo", sentence)
    return Effect("undo", f"{sentence} {who_may_in_words(UNDO_PERMISSION)}")


def of_discarding(run: Run, user: User) -> list[Effect]:
    return [
        Effect("no_change", _("Nothing of it becomes current: no rating changes.")),
        *_marks_that_stay(),
        Effect(
            "final",
            _("Discarding cannot be undone; another rerate can be started at once."),
        ),
        of_nobody_else(),
    ]


def _marks_that_stay() -> Iterator[Effect]:
    if first := earliest_mark():
        number = open_marks().count()
        yield Effect(
            "marks",
            ngettext(
                "{number:,} mark stays open; the next rerate replays history from "
                "{day} on.",
                "{number:,} marks stay open; the next rerate replays history from "
                "{day} on.",
                number,
            ).format(number=number, day=day_in_words(first)),
        )


def of_retrying(run: Run, user: User) -> list[Effect]:
    return [
        Effect(
            "goes_on",
            _("A worker goes on with it; what it has done right already is kept."),
        ),
        _what_follows(user),
        of_nobody_else(),
    ]


def of_undoing(run: Run, user: User) -> list[Effect]:
    """Say what taking a published rerate back does to ratings and marks."""
    return [
        *_ratings_that_go_back(run),
        *_marks_opened_again(run),
        *_rated_since(run),
        Effect(
            "told",
            _(
                "Everybody can read that it was undone, and why. Members whose ratings "
                "it had changed are told, if they wish to be."
            ),
        ),
        Effect("final", _("Undoing cannot be undone; another rerate can be started.")),
        *_agreement(run, user),
    ]


def _ratings_that_go_back(run: Run) -> Iterator[Effect]:
    moved = run.differences.order_by().values("system").annotate(number=Count("pk"))
    numbers = {row["system"]: row["number"] for row in moved}
    if not numbers:
        yield Effect("no_change", _("No current rating changes by a whole point."))
        return
    members = run.differences.order_by().values("player").distinct().count()
    total = sum(numbers.values())
    systems = ", ".join(
        f"{_(system.label)} ({numbers[system]:,})"
        for system in System
        if system in numbers
    )
    yield Effect(
        "ratings",
        ngettext(
            "{number:,} rating goes back to what it was before the rerate: {systems}.",
            "{number:,} ratings go back to what they were before the rerate: "
            "{systems}.",
            total,
        ).format(number=total, systems=systems),
    )
    yield Effect(
        "members",
        ngettext(
            "It concerns {number:,} member.", "It concerns {number:,} members.", members
        ).format(number=members),
    )


def _marks_opened_again(run: Run) -> Iterator[Effect]:
    days = sorted(run.marks.values_list("from_day", flat=True))
    if not days:
        return
    begins = min(days[0], earliest_mark() or days[0])
    yield Effect(
        "marks",
        ngettext(
            "The mark that it took in is open again; the next rerate replays history "
            "from {begins} on.",
            "The {number:,} marks that it took in are open again; the next rerate "
            "replays history from {begins} on.",
            len(days),
        ).format(number=len(days), begins=day_in_words(begins)),
    )


def _rated_since(run: Run) -> Iterator[Effect]:
    first = day_to_mark(run)
    if first is None:
        return
    number = rated_since(run).values("section").distinct().count()
    yield Effect(
        "rated_since",
        ngettext(
            "{number:,} section has been rated from its ratings since. It stays as it "
            "is rated, and so do the ratings of its players, until the next rerate.",
            "{number:,} sections have been rated from its ratings since. They stay as "
            "they are rated, and so do the ratings of their players, until the next "
            "rerate.",
            number,
        ).format(number=number),
        "warning",
    )
    days = [first, *run.marks.values_list("from_day", flat=True)]
    if earliest := earliest_mark():
        days.append(earliest)
    yield leaves_mark(first, min(days))


def _agreement(run: Run, user: User) -> Iterator[Effect]:
    newest = lists_since(run.published_at).first()
    if newest is None:
        yield of_nobody_else()
        return
    sentence = _(
        "The list of {name} was published since: nothing changes until a second person "
        "has approved it."
    )
    yield Effect("list", sentence.format(name=newest.name), "warning")
    yield of_second_person(UNDO_PERMISSION, user)
