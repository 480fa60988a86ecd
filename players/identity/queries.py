"""Suspected duplicates: members with two IDs who look like one person."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import groupby
from operator import attrgetter

from django.db.models import (
    DateField,
    Exists,
    ExpressionWrapper,
    F,
    IntegerField,
    OuterRef,
    Q,
    QuerySet,
    Value,
)
from django.db.models.functions import Cast, Coalesce, ExtractYear
from django.utils.translation import gettext as _

from players.formats.member_ids import MEMBER_ID
from players.members.queries import membership_end_label
from players.members.rating_history import rating_history
from players.models import NotSamePerson, Player, PlayerMerge
from ratings_site.common.ui.formatting import format_day

# Swapping two neighboring digits changes an eight-digit number by one of these.
_SWAP_DIFFERENCES = [
    sign * 9 * digit * 10**place
    for sign in (1, -1)
    for digit in range(1, 10)
    for place in range(7)
]


# Limit per member: ninety records with one name make thousands of pairs.
MAX_PAIRS_PER_MEMBER = 3


@dataclass(frozen=True, slots=True)
class SuspectedPair:
    """Two records that may belong to one person.

    *more* is the number of pairs of the first that are not listed.
    """

    first: Player
    second: Player
    reasons: tuple[str, ...]
    more: int = 0

    @property
    def key(self) -> str:
        """Return the value that identifies the pair in a form."""
        return f"{self.first.pk}:{self.second.pk}"


def _year(birth_date: str, birth_year: str | OuterRef) -> Coalesce:
    return Coalesce(ExtractYear(birth_date), birth_year, output_field=IntegerField())


def suspected_duplicates() -> QuerySet[Player]:
    """Return the members with a later record that looks the same."""
    told_apart = NotSamePerson.objects.filter(
        first=OuterRef(OuterRef("pk")), second=OuterRef("pk")
    )
    later = (
        Player.objects.filter(
            search_name=OuterRef("search_name"), pk__gt=OuterRef("pk"), merged_into=None
        )
        .annotate(
            their_birth=ExpressionWrapper(OuterRef("birth_date"), DateField()),
            year=_year("birth_date", "birth_year"),
            their_year=_year("their_birth", OuterRef("birth_year")),
            # IDs with letters are no numbers; their switched digits are not found.
            apart=Cast("member_id", IntegerField())
            - Cast(OuterRef("member_id"), IntegerField())
            if MEMBER_ID.is_numeric
            else Value(0),
        )
        .filter(
            Q(birth_date=F("their_birth"))
            | (
                Q(state=OuterRef("state"))
                & ~Q(state="")
                & (Q(birth_date=None) | Q(their_birth=None))
                & (Q(year=None) | Q(their_year=None) | Q(year=F("their_year")))
            )
            | Q(apart__in=_SWAP_DIFFERENCES)
        )
        .exclude(Exists(told_apart))
    )
    return (
        Player.objects.filter(merged_into=None)
        .filter(Exists(later))
        .order_by("search_name", "pk")
    )


def pairs_of(firsts: Iterable[Player]) -> list[SuspectedPair]:
    """Return the pairs whose first record is one of these members, in two queries."""
    firsts = list(firsts)
    by_name: defaultdict[str, list[Player]] = defaultdict(list)
    names = {player.search_name for player in firsts}
    for player in Player.objects.filter(
        search_name__in=names, merged_into=None
    ).order_by("pk"):
        by_name[player.search_name].append(player)
    apart = set(
        NotSamePerson.objects.filter(first__in=firsts).values_list(
            "first_id", "second_id"
        )
    )
    return [
        SuspectedPair(first, second, reasons)
        for first in firsts
        for second in by_name[first.search_name]
        if second.pk > first.pk
        and (first.pk, second.pk) not in apart
        and (reasons := duplicate_reasons(first, second))
    ]


def limit_pairs(firsts: Iterable[Player]) -> Iterator[SuspectedPair]:
    """Yield the first pairs of each member; the others follow as pairs are decided."""
    for _first, pairs in groupby(pairs_of(firsts), key=attrgetter("first")):
        all_pairs = list(pairs)
        *before, last = all_pairs[:MAX_PAIRS_PER_MEMBER]
        yield from before
        yield replace(last, more=len(all_pairs[MAX_PAIRS_PER_MEMBER:]))


def suspected_pairs(first_ids: Iterable[int]) -> list[SuspectedPair]:
    """Return the currently suspected pairs that start with these members."""
    return pairs_of(Player.objects.filter(pk__in=first_ids, merged_into=None))


def duplicate_reasons(one: Player, other: Player) -> tuple[str, ...]:
    """Return why two members of one name may be one person; empty if there is none."""
    reasons = []
    years = {one.year_of_birth, other.year_of_birth} - {None}
    if one.birth_date and one.birth_date == other.birth_date:
        reasons.append(_("same name and birth date"))
    elif (one.birth_date and other.birth_date) or len(years) > 1:
        pass
    elif one.state and one.state == other.state:
        reasons.append(
            _("same name in {state}, one birth date missing").format(state=one.state)
        )
    if has_swapped_digits(one.member_id, other.member_id):
        reasons.append(_("same name, two digits of the member ID switched"))
    return tuple(reasons)


def has_swapped_digits(one: str, other: str) -> bool:
    """Return whether two neighboring digits are swapped.

    >>> has_swapped_digits("12345678", "12354678")
    True
    >>> has_swapped_digits("12345678", "12345696")
    False
    >>> has_swapped_digits("123456", "123465"), has_swapped_digits("123456", "12")
    (True, False)
    """
    if len(one) != len(other):
        return False
    differing = [place for place in range(len(one)) if one[place] != other[place]]
    if len(differing) != 2 or differing[1] != differing[0] + 1:
        return False
    left, right = differing
    return one[left] == other[right] and one[right] == other[left]


def merges() -> QuerySet[PlayerMerge]:
    return PlayerMerge.objects.select_related("kept", "merged", "by", "undone_by")


@dataclass(frozen=True, slots=True)
class ComparisonRow:
    """A line of a merge preview: one fact about either member."""

    what: str
    kept: str
    merged: str

    @property
    def differs(self) -> bool:
        """Return whether the values differ. Member IDs always do."""
        both_known = self.kept and self.merged and self.what != _("Member ID")
        return bool(both_known) and self.kept != self.merged


def comparison(kept: Player, merged: Player) -> list[ComparisonRow]:
    """Return the known facts about two members for comparison."""
    kept_facts, merged_facts = dict(_facts(kept)), dict(_facts(merged))
    names = dict.fromkeys([*kept_facts, *merged_facts])
    return [
        ComparisonRow(name, kept_facts.get(name, ""), merged_facts.get(name, ""))
        for name in names
    ]


def _facts(player: Player) -> list[tuple[str, str]]:
    last = max((one.expires for one in player.memberships.all()), default=None)
    lines = [
        (_("Name"), player.name),
        (_("Member ID"), player.member_id),
        (_("Status"), player.get_status_display()),
        (
            _("Birth date"),
            format_day(player.birth_date)
            if player.birth_date
            else str(player.birth_year or ""),
        ),
        (_("Gender"), player.get_gender_display()),
        (_("State"), player.state),
        (_("Residence"), player.residence),
        (_("FIDE ID"), player.fide_id or ""),
        (_("Account"), str(player.account or "")),
        (_("Membership"), membership_end_label(last) if last else ""),
        (
            _("Foreign ratings"),
            ", ".join(
                f"{row.body} {row.rating} ({format_day(row.list_date)})"
                for row in player.external_ratings.order_by("-list_date")[:3]
            ),
        ),
    ]
    return [*lines, *rating_history().merge_facts(player)]


def differences(kept: Player, merged: Player) -> list[str]:
    """Return the differences that require a second approval of their merge."""
    sentences = []
    days, years = (
        {getattr(one, name) for one in (kept, merged)} - {None}
        for name in ("birth_date", "year_of_birth")
    )
    if len(days) > 1 or len(years) > 1:
        sentences.append(
            _("The birth dates differ. The kept record’s birth date stays.")
        )
    if kept.search_name != merged.search_name:
        sentences.append(_("The names differ. The kept record’s name stays."))
    return sentences


def merge_warnings(kept: Player, merged: Player) -> list[str]:
    """Return what speaks against a merge without blocking it."""
    sentences = differences(kept, merged)
    if sentences:
        sentences.append(_("The merge needs a second approval."))
    if kept.account_id and merged.account_id:
        sentences.append(
            _(
                "Both have an account. The merged member’s account will open the kept "
                "member."
            )
        )
    low, high = sorted((kept.pk, merged.pk))
    apart = NotSamePerson.objects.filter(first=low, second=high).first()
    if apart is not None:
        told_on = format_day(apart.at)
        sentences.append(
            _("Marked as not duplicates on {told_on}: “{reason}”").format(
                told_on=told_on, reason=apart.reason
            )
        )
    return sentences
