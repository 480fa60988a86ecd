"""The number of members an import changes, and the limits that require approval."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from datetime import date, timedelta
from typing import Any, Self

from django.conf import settings
from django.db.models import Exists, OuterRef
from django.utils import timezone
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from players.imports.queries import MemberRecord, membership_terms
from players.models import Intake, Membership, Player
from ratings_site.common.models import AuditEntry

# In a small federation a few changes are soon half of all members.
SMALL_IMPORT = 20
OVER_LIMITS = "players.import_over_limits"
# Batches of a feed within this time are counted together.
FEED_WINDOW = timedelta(days=1)
NAMES = ("given_name", "family_name")
IMPACT_KEY = "reach"
FEED_STOPPED = "intake.feed_stopped"
# The counts that are limited: which, of which other one, the setting, the sentence.
LIMITS = (
    (
        *("changed", "current", "INTAKE_MOST_CHANGED"),
        _("{number:,} of {all:,} current members change (limit {limit:.0%})."),
    ),
    (
        *("rewritten", "named", "INTAKE_MOST_CHANGED"),
        _(
            "{number:,} of the {all:,} members in the file get a different "
            "name, birth date, status, or last day (limit {limit:.0%})."
        ),
    ),
    (
        *("inactive", "current", "INTAKE_MOST_HARMED"),
        _("{number:,} of {all:,} current members become inactive (limit {limit:.0%})."),
    ),
    (
        *("shortened", "current", "INTAKE_MOST_HARMED"),
        _(
            "{number:,} of {all:,} current members get an earlier last day "
            "(limit {limit:.0%})."
        ),
    ),
    (
        *("replaced", "current", "INTAKE_MOST_HARMED"),
        _(
            "{number:,} members get both a different name and a different "
            "birth date, out of {all:,} current members (limit {limit:.0%})."
        ),
    ),
)


@dataclass(frozen=True, slots=True)
class CurrentMembers:
    """Active members with a current membership; without any memberships, all active."""

    today: date
    count: int
    with_memberships: bool

    @classmethod
    def on(cls, today: date) -> Self:
        running = Membership.objects.filter(player=OuterRef("pk"), expires__gte=today)
        active = Player.objects.filter(status=Player.Status.ACTIVE, merged_into=None)
        if count := active.filter(Exists(running)).count():
            return cls(today, count, True)
        return cls(today, active.count(), False)

    def include(self, member: MemberRecord) -> bool:
        if member.fields["status"] != Player.Status.ACTIVE:
            return False
        return not self.with_memberships or any(
            term.expires >= self.today for term in member.periods
        )


@dataclass(slots=True)
class ImpactCounts:
    """How many members an import changes, in total and by kind of harmful change.

    *named* are the members on record in the file, *rewritten* those whose name, birth
    date, status or last day is replaced. The others are counts too: the *current*
    members, those of them who are *changed*, become *inactive* or have a membership
    *shortened*, and members who get both another name and another birth date
    (*replaced*).
    """

    current: int = 0
    changed: int = 0
    named: int = 0
    rewritten: int = 0
    inactive: int = 0
    shortened: int = 0
    replaced: int = 0

    def add(
        self, member: MemberRecord, changes: Mapping[str, Any], current: CurrentMembers
    ) -> None:
        """Count a member on record and the changes of a row, if any."""
        self.named += 1
        if not changes:
            return
        is_current = current.include(member)
        renamed = any(_replaces(changes, name) for name in NAMES)
        redated = any(_replaces(changes, name) for name in ("birth_date", "birth_year"))
        leaves = is_current and _replaces(changes, "status")
        ends = any(
            before and date.fromisoformat(before["expires"]) >= current.today
            for before, _after in shortened_terms(changes)
        )
        self.changed += is_current
        self.inactive += leaves
        self.shortened += ends
        self.replaced += renamed and redated
        self.rewritten += renamed or redated or leaves or ends

    def combine(self, other: "ImpactCounts") -> "ImpactCounts":
        """Return the sum of both, with the larger count of current members."""
        ours, theirs = asdict(self), asdict(other)
        both = {name: ours[name] + theirs[name] for name in ours}
        return ImpactCounts(**both | {"current": max(self.current, other.current)})

    def exceeded_limits(self) -> Iterator[str]:
        """Yield a sentence for each exceeded limit, with the counts."""
        for name, of_name, limit_name, sentence in LIMITS:
            number, of = getattr(self, name), getattr(self, of_name)
            limit = getattr(settings, limit_name)
            if _is_above(number, of, limit):
                yield sentence.format(number=number, all=of, limit=limit)


def _replaces(changes: Mapping[str, Any], name: str) -> bool:
    """Return whether a value is replaced; filling in a blank one is harmless.

    So is removing a birth year: a date has replaced it.
    """
    return name in changes and all(changes[name])


def shortened_terms(changes: Mapping[str, Any]) -> Iterator[tuple[Any, Any]]:
    """Yield the memberships that would end earlier, as pairs of old and new."""
    for before, after in membership_terms(changes):
        if before and after["expires"] < before["expires"]:
            yield before, after


def _is_above(number: int, of: int, limit: float) -> bool:
    return number > SMALL_IMPORT and number > limit * of


def impact_of(intake: Intake) -> ImpactCounts | None:
    """Return the counts of the dry run, or None for files that change no members."""
    counted = intake.totals.get(IMPACT_KEY)
    return ImpactCounts(**counted) if counted is not None else None


def exceeded_limits(intake: Intake) -> list[str]:
    """Return the limits that this import exceeds, as sentences."""
    impact = impact_of(intake)
    if impact is not None:
        return list(impact.exceeded_limits())
    limit = settings.INTAKE_MOST_CHANGED
    if not _is_above(intake.changed, intake.on_record, limit):
        return []
    sentence = gettext("{number:,} of {all:,} records change (limit {limit:.0%}).")
    return [sentence.format(number=intake.changed, all=intake.on_record, limit=limit)]


def feed_impact() -> ImpactCounts:
    """Return the combined changes of all batches of the last day."""
    recent = Intake.objects.filter(
        by_feed=True,
        state=Intake.State.ENTERED,
        decided_at__gte=timezone.now() - FEED_WINDOW,
    )
    total = ImpactCounts()
    for totals in recent.values_list("totals", flat=True):
        total = total.combine(ImpactCounts(**totals.get(IMPACT_KEY, {})))
    return total


def last_stopped_feed() -> tuple[AuditEntry, list[str]] | None:
    """Return the last batch refused within a day, and the limits it exceeded."""
    since = timezone.now() - FEED_WINDOW
    entry = AuditEntry.objects.filter(action=FEED_STOPPED, at__gte=since).first()
    if entry is None:
        return None
    return entry, list(ImpactCounts(**entry.facts[IMPACT_KEY]).exceeded_limits())


def approval_requirement() -> str:
    """Return the approval that an import above the limits needs, as a sentence."""
    hours = settings.INTAKE_WAIT_HOURS
    if not hours:
        return gettext("It needs a second approval.")
    return ngettext(
        "It needs a second approval, or you can import it after {number} hour.",
        "It needs a second approval, or you can import it after {number} hours.",
        hours,
    ).format(number=hours)
